(* top-mass-cap: all 1 <= N <= L, all index sets of N tokens, all positive weights of sum 1 and any R. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem top_mass_cap (L : nat) (a : 'I_L -> R) (S : {set 'I_L}) :
  (forall i, 0 < a i) -> \sum_i a i = 1 -> S != set0 ->
  mass a S <= count S * ratio a / (count S * ratio a + INR L - count S).
Proof.
move=> pos one /set0Pn [j jS]; have a0 i : 0 <= a i by apply: Rlt_le.
have Sa : simplex a by [].
rewrite /ratio; set high := maximum _ _; set low := minimum _ _; set n := count S; set A := mass a S.
have low0 : 0 < low by exact: least_gt0.
have lowle i : low <= a i by exact: minimum_le.
have high_ge i : a i <= high by exact: maximum_ge.
have high0 : 0 < high by exact: Rlt_le_trans (pos j) (high_ge j).
have up : A <= n * high by rewrite /A /mass /n /count -sum_mull; apply: sum_le => i _; have := high_ge i; lra.
have down : (INR L - n) * low <= 1 - A by rewrite -sum_unselected -(unselected_mass S Sa); apply: sum_le.
have n1 : 1 <= n by rewrite /n count_card -[1]/(INR 1); apply: le_INR; apply/leP; apply/card_gt0P; exists j.
have nL : n <= INR L by rewrite /n count_card; apply: le_INR; apply/leP; rewrite -[X in (_ <= X)%nat]card_ord;
  exact: max_card.
have A0 : 0 <= A by exact: mass_ge0.
have D0 : 0 < n * (high / low) + INR L - n.
  have q0 := Rdiv_lt_0_compat _ _ high0 low0; have : 0 < n * (high / low) by apply: Rmult_lt_0_compat; lra.
  by lra.
apply: le_div => //; apply: (Rmult_le_reg_r low) => //.
rewrite (_ : n * (high / low) * low = n * high); last by field; lra.
rewrite (_ : A * (n * (high / low) + INR L - n) * low = A * (n * high) + A * ((INR L - n) * low)); last by field; lra.
have : A * ((INR L - n) * low) <= A * (1 - A) by exact: Rmult_le_compat_l.
have := mass_le1 S a0 Sa; rewrite -/A => A1.
have : A * (1 - A) <= n * high * (1 - A) by apply: Rmult_le_compat_r; lra.
by lra.
Qed.
