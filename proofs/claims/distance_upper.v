(* distance-upper: all L, d and tokens, all sets of N >= 1 largest weights. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem distance_upper (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  simplex a -> S != set0 -> top a S ->
  d_tilde a x S <= (1 - mass a S) * farthest x S +
    maximum (mem S) (fun j => norm (x j)) * (mass a S * (INR L - count S) - (1 - mass a S)).
Proof.
move=> Sa /set0Pn [j0 j0S] topS; have a0 := Sa.1; set A := mass a S; set d1 := farthest x S; set M := maximum _ _.
have A0 : 0 < A.
  case: (Rle_lt_or_eq_dec _ _ (mass_ge0 S a0)) => // zero.
  have z j : j \in S -> a j = 0 by move=> /(mass_ge a0) le; have := a0 j; lra.
  have out i : i \notin S -> a i = 0 by move=> iS; have := topS _ _ iS j0S; have := a0 i; rewrite (z j0) //; lra.
  have := Sa.2; rewrite big1; [lra | by move=> i _; case: (boolP (i \in S)) => [/z | /out]].
have sM : norm (context a x S) <= A * M.
  by apply: norm_context => // j jS; exact: (maximum_ge (fun j => norm (x j))).
suff one i : i \notin S -> distance a x S i <= a i * d1 + (A - a i) * M.
  apply: Rle_trans (sum_le one) _; rewrite sum_add !sum_mull sum_sub (unselected_mass S Sa) sum_unselected.
  by rewrite -/A; lra.
move=> iS; have aA : a i <= A by apply: Rle_trans (topS _ _ iS j0S) _; exact: mass_ge.
have cross : norm (fun k => A * x i k - context a x S k) <= A * d1.
  rewrite (eq_norm (v := fun k => \sum_(j in S) (a j * (x i k - x j k)))) => [|k]; last first.
    by rewrite (eq_bigr (fun j => a j * x i k - a j * x j k)) => [|j _]; rewrite ?sum_sub ?sum_mull //; lra.
  apply: Rle_trans (norm_sum _ _) _; rewrite /A /mass -sum_mull; apply: sum_le => j jS.
  rewrite norm_scale Rabs_pos_eq //; apply: Rmult_le_compat_l => //.
  apply: Rle_trans (maximum_ge (P := fun i => i \notin S) (fun i => maximum (mem S) _) iS).
  exact: (maximum_ge (fun j => norm (fun k => x i k - x j k))).
apply: (Rmult_le_reg_l A) => //; rewrite /distance -[X in X * norm _](Rabs_pos_eq A) -?norm_scale; last by lra.
rewrite (eq_norm (v := fun k => a i * (A * x i k - context a x S k) - (A - a i) * context a x S k)) => [|k];
  last by lra.
apply: Rle_trans (norm_sub_le _ _) _; rewrite !norm_scale !Rabs_pos_eq; try lra; last exact: a0.
have : a i * norm (fun k => A * x i k - context a x S k) <= a i * (A * d1) by apply: Rmult_le_compat_l.
have : (A - a i) * norm (context a x S) <= (A - a i) * (A * M) by apply: Rmult_le_compat_l; lra.
by lra.
Qed.
