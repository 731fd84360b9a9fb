(* theorem1-collapse: refuted along a family: equal tokens and weights, N = L/2. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Whatever bound is proposed: L = 2n tokens x_i = 1 of weight 1/L, of which n are selected, have d-tilde = (n - 1)/2.
  *)
Theorem theorem1_collapse (c B : R) : c = 1/2 -> B = 1 ->
  ~ exists C, forall (L : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_1 -> R) (S : {set 'I_L}),
    simplex a -> top a S -> count S = c * INR L -> (forall i, norm (x i) <= B) -> d_tilde a x S <= C.
Proof.
move=> -> -> [C bounded]; have [m [Cm m0]] : exists m, C < INR m /\ (0 < m)%nat.
  have [m le] := nat_above C; exists m.+1; split=> //; rewrite S_INR; lra.
pose n := (2 * m + 1)%nat; pose L := (n + n)%nat; pose a (i : 'I_L) := 1 / INR L;
  pose S : {set 'I_L} := [set i | (val i < n)%nat].
have nE : INR n = 2 * INR m + 1 by rewrite /n plus_INR mult_INR /=; lra.
have LE : INR L = 2 * INR n by rewrite /L plus_INR; lra.
have m1 : 0 <= INR m := pos_INR m.
have card : count S = INR n.
  rewrite count_card; congr INR; rewrite cardsE -sum1_card /L.
  rewrite big_split_ord /= (eq_bigl xpredT) => [|i]; last by exact: (ltn_ord i).
  rewrite sum1_card card_ord big1 ?addn0 // => i lt; have : (n + i < n)%nat := lt.
  by rewrite ltnNge leq_addr.
have ctx k : context a (fun _ _ => 1) S k = 1/2.
  rewrite /context (eq_bigr (fun _ => 1 / INR L)) => [|j _]; last by rewrite /a mulR1.
  by rewrite sum_const -count_card card LE; field; lra.
have d : d_tilde a (fun (_ : 'I_L) (_ : 'I_1) => 1) S = INR m.
  rewrite /d_tilde (eq_bigr (fun _ => 1/2 - 1 / INR L)) => [|i _].
    by rewrite sum_unselected card LE nE; field; lra.
  rewrite /distance /norm /dot big_ord_recl big_ord0 addR0 ctx sqrt_Rsqr_abs /a.
  rewrite Rabs_left1; [lra | rewrite LE nE].
  by have : 1 / (2 * (2 * INR m + 1)) <= 1 / 2; [apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; lra] | lra].
suff : INR m <= C by lra.
rewrite -d; apply: bounded.
- split=> [i|]; first by apply: Rlt_le; apply: Rdiv_lt_0_compat; lra.
  by rewrite sum_const card_ord /a; field; lra.
- by move=> i j _ _; rewrite /a; lra.
- by rewrite card LE; lra.
- by move=> i; rewrite /norm /dot big_ord_recl big_ord0 addR0 mulR1 sqrt_1; lra.
Qed.
