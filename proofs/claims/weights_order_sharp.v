(* weights-order-sharp: all L, all positive F of any R. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import extrema.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem weights_order_sharp (L : nat) (F : 'I_L -> R) i :
  (forall j, 0 < F j) ->
  weight F i <= ratio F / (ratio F + INR L - 1) /\ 1 / (1 + (INR L - 1) * ratio F) <= weight F i.
Proof.
move=> pos; have low0 := least_gt0 i pos; have R1 := ratio_ge1 i pos.
have n0 : 0 <= INR L.-1 := pos_INR _.
have L1 : INR L - 1 = INR L.-1 by rewrite -[in LHS](prednK (leq_ltn_trans (leq0n i) (ltn_ord i))) S_INR; lra.
have card : INR #|[pred j | j != i]| = INR L.-1 by congr INR; rewrite (cardC1 i) card_ord.
rewrite /weight /total (bigD1 i) //= (_ : ratio F + INR L - 1 = ratio F + INR L.-1); last by lra.
set rest := \sum_(j | _) _; have FM := largest_ge F i; have Fm := least_le F i.
have [up down] : rest <= INR L.-1 * maximum xpredT F /\ INR L.-1 * minimum xpredT F <= rest.
  by split; rewrite -card -sum_const; apply: sum_le => j _; [exact: largest_ge | exact: least_le].
rewrite L1 /ratio; set M := maximum _ _ in FM up R1 *; set m := minimum _ _ in low0 Fm down R1 *;
  set n := INR L.-1 in n0 up down *.
have M0 : 0 < M by lra.
have nm := Rmult_le_pos _ _ n0 (Rlt_le _ _ low0); have nM := Rmult_le_pos _ _ n0 (Rlt_le _ _ M0).
have FS : 0 < F i + rest by have := pos i; lra.
split.
- have -> : M / m / (M / m + n) = M / (M + n * m) by field; lra.
  apply: div_le => //; rewrite (_ : M / _ * _ = M * (F i + rest) / (M + n * m)); last by field; lra.
  apply: le_div; first by lra.
  have : F i * (n * m) <= M * rest; last by lra.
  by apply: Rmult_le_compat => //; apply: Rlt_le.
- have -> : 1 / (1 + n * (M / m)) = m / (m + n * M) by field; lra.
  apply: div_le; first by lra.
  rewrite (_ : F i / _ * _ = F i * (m + n * M) / (F i + rest)); last by field; lra.
  apply: le_div => //; have : m * rest <= F i * (n * M); last by lra.
  by apply: Rmult_le_compat => //; lra.
Qed.
