(* The Jacobian (I - a 1^T) diag(F / S) of separable weights. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export simplex extrema.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Jacobian.
Variables (I : finType) (F F' : I -> R).
Hypothesis pos : forall i, 0 < F i.
Implicit Types v : I -> R.
Let a := weight F.
Let g i := F' i / total F.

Lemma total_gt0 (i : I) : 0 < total F.
Proof.
apply: Rlt_le_trans (pos i) _; apply: (sum_ge_term (f := F)) => j; exact: Rlt_le.
Qed.

Lemma weight_simplex (i : I) : simplex (weight F).
Proof.
have S0 := total_gt0 i; split=> [j|]; first by apply: Rlt_le; exact: Rdiv_lt_0_compat.
by rewrite /weight /Rdiv sum_mull -/(total F); apply: Rinv_r; lra.
Qed.

Lemma jacobianE v i : apply (jacobian F F') v i = g i * v i - a i * dot g v.
Proof.
rewrite /dot sum_mulr -[X in X - _](sum_delta (fun j => g j * v j)) -sum_sub.
by apply: eq_bigr => j _; rewrite /jacobian -/(g j) -/(a i); ring.
Qed.

Lemma norm_slopes (i : I) : norm g = norm F' / total F.
Proof.
have S0 := total_gt0 i; rewrite (eq_norm (v := fun j => / total F * F' j)) => [|j]; last by rewrite /g; lra.
by rewrite norm_scale Rabs_pos_eq; [lra | apply: Rlt_le; exact: Rinv_0_lt_compat].
Qed.

(* |diag(g) v| <= |g| |v| *)
Lemma norm_product u v : norm (fun i => u i * v i) <= norm u * norm v.
Proof.
apply: norm_le; first by apply: Rmult_le_pos; exact: norm_ge0.
rewrite (_ : norm u * norm v * (norm u * norm v) = dot u u * dot v v); last by rewrite -!norm_sqr; ring.
rewrite {2}/dot sum_mulr; apply: sum_le => i _.
have vv : v i * v i <= dot v v by apply: (sum_ge_term (f := fun i => v i * v i)) => j; exact: Rle_0_sqr.
have uu : u i * u i <= dot u u by apply: (sum_ge_term (f := fun i => u i * u i)) => j; exact: Rle_0_sqr.
rewrite (_ : u i * v i * (u i * v i) = u i * u i * (v i * v i)); last by ring.
by apply: Rmult_le_compat_r => //; exact: Rle_0_sqr.
Qed.

Lemma first_term (i : I) : INR #|I| * minimum xpredT F <= total F.
Proof. by rewrite -sum_const; apply: sum_le => j _; exact: minimum_le. Qed.
End Jacobian.
