(* distance-two-sided: all L, d, tokens and index sets, all weights >= 0. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem distance_two_sided (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  (forall i, 0 <= a i) ->
  d_tilde a x S - (INR L - count S) * norm (context a x S) <= \sum_(i | i \notin S) (a i * norm (x i)) /\
  (INR L - count S) * norm (context a x S) - d_tilde a x S <= \sum_(i | i \notin S) (a i * norm (x i)).
Proof.
move=> a0; rewrite -sum_unselected /d_tilde -!sum_sub.
by split; apply: sum_le => i _; have := distance_between x S a0 i; lra.
Qed.
