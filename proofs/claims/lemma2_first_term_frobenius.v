(* lemma2-first-term-frobenius: all L, all positive F, all slopes. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import jacobian.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem lemma2_first_term_frobenius (L : nat) (F F' : 'I_L -> R) :
  (forall i, 0 < F i) ->
  frobenius (jacobian F F') <= norm F' / (INR L * minimum xpredT F) +
    norm F * norm F' / (INR L * INR L * (minimum xpredT F * minimum xpredT F)).
Proof.
move=> pos; case: (pickP 'I_L) => [i _|none]; last first.
  have z (u : 'I_L -> R) : norm u = 0 by rewrite /norm /dot big1 ?sqrt_0 // => i; have := none i.
  by rewrite !z /frobenius big1 => [|i]; [rewrite sqrt_0 /Rdiv; lra | have := none i].
have S0 := total_gt0 pos i; have le := first_term F i; rewrite card_ord in le.
have low0 := least_gt0 i pos; have F0 := norm_ge0 F; have F'0 := norm_ge0 F'.
have L1 : 1 <= INR L by rewrite -[1]/(INR 1); apply: le_INR; apply/leP; exact: leq_ltn_trans (leq0n i) (ltn_ord i).
have Lm : 0 < INR L * minimum xpredT F by apply: Rmult_lt_0_compat; lra.
have over w : 0 <= w -> w / total F <= w / (INR L * minimum xpredT F).
  by move=> w0; apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar.
set g := fun j => F' j / total F; have gE : norm g = norm F' / total F by exact: norm_slopes.
have aE : norm (weight F) = norm F / total F by exact: (norm_slopes F pos).
apply: Rle_trans (_ : norm g + norm (weight F) * norm g <= _); last first.
  rewrite gE aE; apply: Rplus_le_compat; first exact: over.
  have -> : norm F * norm F' / (INR L * INR L * (minimum xpredT F * minimum xpredT F)) =
    norm F / (INR L * minimum xpredT F) * (norm F' / (INR L * minimum xpredT F)) by field; lra.
  by apply: Rmult_le_compat; try exact: over; apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
(* As vectors of L^2 entries: diag g and a g^T. *)
pose D (ij : 'I_L * 'I_L) := (if ij.1 == ij.2 then 1 else 0) * g ij.2;
  pose O (ij : 'I_L * 'I_L) := weight F ij.1 * g ij.2.
have pairs (f : 'I_L -> 'I_L -> R) : \sum_i (\sum_j f i j) = \sum_ij f ij.1 ij.2 by rewrite pair_big.
have -> : frobenius (jacobian F F') = norm (fun ij => D ij - O ij).
  by rewrite /frobenius pairs; congr sqrt; apply: eq_bigr => ij _; rewrite /jacobian Rmult_minus_distr_r.
apply: Rle_trans (norm_sub_le D O) _; apply: Rplus_le_compat; apply: Req_le.
- congr sqrt; rewrite /dot /D -(pairs (fun i j => (if i == j then 1 else 0) * g j * ((if i == j then 1 else 0) * g j))).
  apply: eq_bigr => k _; rewrite (eq_bigr (fun j => (if k == j then 1 else 0) * (g j * g j))) => [|j _];
    first by rewrite sum_delta.
  by case: (k == j); ring.
- rewrite -sqrt_mult; try exact: dot_ge0.
  congr sqrt; rewrite /dot /O -(pairs (fun i j => weight F i * g j * (weight F i * g j))) sum_prod.
  by apply: eq_bigr => k _; apply: eq_bigr => j _; ring.
Qed.
