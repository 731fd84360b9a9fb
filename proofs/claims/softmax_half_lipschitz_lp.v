(* softmax-half-lipschitz-lp: all L, all rows, all T > 0, all real p >= 1 and p = inf. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import lipschitz.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem softmax_half_lipschitz_lp (L : nat) (T p : R) (z z' : 'I_L -> R) :
  0 < T -> 1 <= p ->
  norm_p p (fun i => softmax T z' i - softmax T z i) <= 1 / (2 * T) * norm_p p (fun i => z' i - z i) /\
  norm_inf (fun i => softmax T z' i - softmax T z i) <= 1 / (2 * T) * norm_inf (fun i => z' i - z i).
Proof. by move=> T0 p1; split; [exact: softmax_lipschitz | exact: softmax_lipschitz_inf]. Qed.
