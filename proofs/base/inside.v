(* The sides of a theorem at given numbers lie in given intervals: what ties definitions.v to what attncert evaluates. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* What a refutation refutes, for its sides: nothing is proved from it. *)
Lemma claimed (P : Prop) : ~ P -> (P -> True) -> True.
Proof. by []. Qed.

(* use l r with both sides of the n-th relation that a statement concludes. *)
Ltac with_sides T n use := lazymatch T with
  | _ -> ?B => with_sides B n use
  | ?A /\ ?B => lazymatch n with O => with_sides A n use | S ?m => with_sides B m use end
  | ?l <= ?r => lazymatch n with O => use l r end
  | ?l = ?r => lazymatch n with O => use l r end end.

Ltac evaluate :=
  cbv beta delta [d_tilde farthest distance context output mass count norm dot ratio weight jacobian total frobenius
    softmax norm_inf range mean];
  write_out; settle; split;
  first [lra | interval with (i_prec 100) | interval with (i_prec 500)].

Ltac both_sides H n low high low' high' := let T := type of H in let T := eval cbv zeta in T in
  with_sides T n ltac:(fun l r => clear H; (have: low <= l <= high by evaluate); (have: low' <= r <= high' by evaluate)); done.

(* Where the theorem bounds what a matrix makes of a vector v by a constant times the norm of v, and the claim the matrix's
   norm by that constant. *)
Ltac factor_sides H n low high low' high' := let T := type of H in let T := eval cbv zeta in T in
  with_sides T n ltac:(fun l r => clear H; lazymatch r with ?c * norm _ => have: low' <= c <= high' by evaluate end); done.
