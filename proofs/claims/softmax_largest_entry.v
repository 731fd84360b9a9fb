(* softmax-largest-entry: all L, all real logits, all T > 0. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import softmax.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem softmax_largest_entry (L : nat) (T : R) (z : 'I_L -> R) (i j : 'I_L) :
  0 < T ->
  softmax T z i * (1 - softmax T z i) / T <= 1 / (4 * T) /\ (i != j -> softmax T z i * softmax T z j / T <= 1 / (4 *
    T)).
Proof.
move=> T0; have S := softmax_simplex T z i; set p := softmax T z in S *.
have p1 := at_most_1 S; have -> : 1 / (4 * T) = 1/4 / T by field; lra.
have T1 : 0 <= / T by apply: Rlt_le; exact: Rinv_0_lt_compat.
split=> [|ij]; apply: Rmult_le_compat_r => //; first by have := Rle_0_sqr (2 * p i - 1); rewrite /Rsqr; lra.
have := two_at_most_1 S ij.
by have := p1 i; have := p1 j; have := Rle_0_sqr (p i - p j); rewrite /Rsqr; nra.
Qed.
