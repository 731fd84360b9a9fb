(* perturbation-input-distance: all L >= 2, all real a and e. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import vectors.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The two rows of n + 2 logits: (0, .., 0, a, a + e) and (0, .., 0, a + 2e, a). *)
Definition observation (n : nat) (b c : R) (i : 'I_n.+2) := if i == n :> nat then b else if i == n.+1 :> nat then c
  else 0.

Theorem perturbation_input_distance (n : nat) (a e : R) :
  norm (fun i => @observation n a (a + e) i - @observation n (a + 2 * e) a i) = sqrt 5 * Rabs e.
Proof.
rewrite -sqrt_Rsqr_abs -sqrt_mult; [|lra|exact: Rle_0_sqr].
congr sqrt; rewrite /dot !big_ord_recr /= big1 => [|i _].
  rewrite /observation /= !eqxx eq_sym (_ : (n == n.+1) = false); last by rewrite ltn_eqF.
  by rewrite /Rsqr; ring.
have lt := ltn_ord i; rewrite /observation /=.
by rewrite (ltn_eqF lt) (ltn_eqF (ltn_trans lt (ltnSn n))); ring.
Qed.
