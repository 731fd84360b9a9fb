(* distance-lower: all L, d, tokens and index sets, all real weights. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem distance_lower (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  norm (fun k => output a x k - (INR L - count S + 1) * context a x S k) <= d_tilde a x S.
Proof.
apply: Rle_trans (norm_sum _ _); apply: Req_le; apply: eq_norm => k.
by rewrite sum_sub sum_unselected /output (sum_split (mem S)) /context /=; lra.
Qed.
