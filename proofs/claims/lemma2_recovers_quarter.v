(* lemma2-recovers-quarter: refuted by the stored witness, L = 1, T = 1, 2 against 1/4. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem lemma2_recovers_quarter : ~ forall (L : nat) (T : R) (z : 'I_L -> R),
  0 < T ->
  let F i := exp (z i / T) in
  let F' i := F i / T in
  norm F' / (INR L * minimum xpredT F) + norm F * norm F' / (INR L * INR L * (minimum xpredT F * minimum xpredT F)) =
  1 / (4 * T).
Proof.
move=> claimed; specialize (claimed _ lemma2_recovers_quarter_temperature lemma2_recovers_quarter_logits).
rewrite /lemma2_recovers_quarter_temperature /lemma2_recovers_quarter_logits in claimed.
specialize (claimed ltac:(lra)).
move: claimed.
move=> /= /Req_le; rewrite /norm /dot; too_large.
Qed.
