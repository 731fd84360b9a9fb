(* softmax-half-over-temperature: all L, all real logits, all T > 0, all real p >= 1 and p = inf. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import lipschitz.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem softmax_half_over_temperature (L : nat) (T p : R) (z v : 'I_L -> R) :
  0 < T -> 1 <= p ->
  norm (apply (softmax_jacobian T z) v) <= 1 / (2 * T) * norm v /\
  norm_p p (apply (softmax_jacobian T z) v) <= 1 / (2 * T) * norm_p p v /\
  norm_inf (apply (softmax_jacobian T z) v) <= 1 / (2 * T) * norm_inf v.
Proof.
move=> T0 p1; have sums := softmax_jacobian_sums T0 z.
have rows i := (sums i).1; have columns i := (sums i).2; have c0 : 0 < 1 / (2 * T) by apply: Rdiv_lt_0_compat; lra.
by rewrite !norm_2; split; [apply: schur => //; lra | split; [exact: schur | exact: schur_inf]].
Qed.
