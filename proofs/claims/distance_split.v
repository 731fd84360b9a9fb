(* distance-split: all L, d, tokens and index sets with A > 0, all weights >= 0. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem distance_split (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  (forall i, 0 <= a i) -> 0 < mass a S ->
  d_tilde a x S <= \sum_(i | i \notin S) (a i * norm (fun k => x i k - context a x S k / mass a S) +
    norm (fun k => context a x S k / mass a S) * Rabs (mass a S - a i)).
Proof.
move=> a0 A0; apply: sum_le => i _; set s := context a x S; set A := mass a S in A0 *.
have <- : norm (fun k => a i * (x i k - s k / A)) = a i * norm (fun k => x i k - s k / A).
  by rewrite norm_scale Rabs_pos_eq.
apply: Rle_trans (_ : norm (fun k => a i * (x i k - s k / A) - (A - a i) * (s k / A)) <= _).
  by apply: Req_le; apply: eq_norm => k; rewrite -/s; field; lra.
apply: Rle_trans (norm_sub_le _ _) _; rewrite (norm_scale (A - a i) (fun k => s k / A)).
by rewrite [X in _ <= _ + X]Rmult_comm; lra.
Qed.
