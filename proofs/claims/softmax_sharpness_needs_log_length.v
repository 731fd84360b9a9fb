(* softmax-sharpness-needs-log-length: all L >= 2, all real logits of range g > 0, all T > 0. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import softmax softmax_mass_needs_range.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* 1/(2T) is a Lipschitz constant by softmax_half_lipschitz_lp. *)
Theorem softmax_sharpness_needs_log_length (L : nat) (T : R) (z : 'I_L -> R) (i : 'I_L) :
  0 < T -> (1 < L)%nat -> 0 < range z ->
  ln ((INR L - 1) * softmax T z i / (1 - softmax T z i)) / (2 * range z) <= 1 / (2 * T).
Proof.
move=> T0 L2 g0; have := softmax_mass_needs_range z i T0 L2; set l := ln _; set g := range z in g0 * => le.
apply: div_le; first by lra.
by rewrite (_ : 1 / (2 * T) * (2 * g) = g / T); [apply: le_div => //; lra | field; lra].
Qed.
