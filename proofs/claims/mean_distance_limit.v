(* mean-distance-limit: all L, d, tokens and index sets with a token left out, all weights of sum 1. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection distance_two_sided.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem mean_distance_limit (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  simplex a -> count S < INR L ->
  d_tilde a x S / (INR L - count S) - norm (context a x S) <=
    (1 - mass a S) * maximum xpredT (fun i => norm (x i)) / (INR L - count S) /\
  norm (context a x S) - d_tilde a x S / (INR L - count S) <=
    (1 - mass a S) * maximum xpredT (fun i => norm (x i)) / (INR L - count S).
Proof.
move=> Sa out; have a0 := Sa.1; set M := maximum _ _; set n := INR L - count S.
have n0 : 0 < n by rewrite /n; lra.
have mass_out : \sum_(i | i \notin S) (a i * norm (x i)) <= (1 - mass a S) * M.
  rewrite -unselected_mass // -sum_mull; apply: sum_le => i _.
  by apply: Rmult_le_compat_l => //; exact: (maximum_ge (fun i => norm (x i))).
have := distance_two_sided x S a0; rewrite -/n => -[above below].
split; apply: (Rmult_le_reg_r n) => //; set D := d_tilde a x S in above below *; set s := norm _ in above below *.
- by have -> : (D / n - s) * n = D - n * s; [field | have -> : (1 - mass a S) * M / n * n = (1 - mass a S) * M;
  [field|]]; lra.
- by have -> : (s - D / n) * n = n * s - D; [field | have -> : (1 - mass a S) * M / n * n = (1 - mass a S) * M;
  [field|]]; lra.
Qed.
