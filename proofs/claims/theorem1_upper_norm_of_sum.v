(* theorem1-upper-norm-of-sum: all L, d and tokens, all sets of N >= 1 largest weights. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection distance_upper.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem theorem1_upper_norm_of_sum (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  simplex a -> S != set0 -> top a S ->
  norm (fun k => \sum_(i | i \notin S) (a i * x i k - context a x S k)) <= (1 - mass a S) * farthest x S +
    maximum (mem S) (fun j => norm (x j)) * (mass a S * (INR L - count S) - (1 - mass a S)).
Proof. by move=> Sa S0 topS; apply: Rle_trans (norm_sum _ _) _; exact: distance_upper. Qed.
