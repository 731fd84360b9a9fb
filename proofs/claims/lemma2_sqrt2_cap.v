(* lemma2-sqrt2-cap: refuted by the stored witness, L = 2, 1.76.. against 1.41... *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem lemma2_sqrt2_cap : ~ forall (L : nat) (F F' v : 'I_L -> R),
  (forall i, 0 < F i) ->
  norm (apply (jacobian F F') v) <= sqrt 2 * norm v.
Proof.
move=> claimed; specialize (claimed _ lemma2_sqrt2_cap_F lemma2_sqrt2_cap_slopes (row [:: 1; 0])).
rewrite /lemma2_sqrt2_cap_F /lemma2_sqrt2_cap_slopes in claimed.
specialize (claimed ltac:(each_token; lra)).
move: claimed.
rewrite /apply /jacobian /weight /total /norm /dot; too_large.
Qed.
