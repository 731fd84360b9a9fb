(* lemma1-bounded-logits: all L, all positive F of any R. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import extrema weights_order_sharp.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem lemma1_bounded_logits (L : nat) (F : 'I_L -> R) i :
  (forall j, 0 < F j) -> weight F i <= ratio F / INR L /\ 1 / (ratio F * INR L) <= weight F i.
Proof.
move=> pos; have R1 := ratio_ge1 i pos; have [up down] := weights_order_sharp i pos.
have L1 : 1 <= INR L by rewrite -[1]/(INR 1); apply: le_INR; apply/leP; exact: leq_ltn_trans (leq0n i) (ltn_ord i).
split; [apply: Rle_trans up _ | apply: Rle_trans down].
- by apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; lra].
- by apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; nra].
Qed.
