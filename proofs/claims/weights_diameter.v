(* weights-diameter: all L, all weights. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import simplex.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem weights_diameter (L : nat) (a a' : 'I_L -> R) :
  simplex a -> simplex a' -> norm (fun i => a i - a' i) <= sqrt 2.
Proof.
move=> Sa Sa'; apply: sqrt_le_1_alt.
apply: Rle_trans (_ : \sum_i (a i + a' i) <= _); last by rewrite sum_add Sa.2 Sa'.2; lra.
by apply: sum_le => i _; have := at_most_1 Sa i; have := at_most_1 Sa' i; nra.
Qed.
