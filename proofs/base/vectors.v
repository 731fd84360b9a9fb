(* The Euclidean norm: Cauchy-Schwarz by Lagrange's identity, the triangle inequality. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export sums.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Vectors.
Variable I : finType.
Implicit Types u v : I -> R.


Lemma dot_ge0 u : 0 <= dot u u.
Proof. by apply: sum_ge0 => i _; nra. Qed.

Lemma norm_ge0 u : 0 <= norm u.
Proof. exact: sqrt_pos. Qed.

Lemma norm_sqr u : norm u * norm u = dot u u.
Proof. by rewrite sqrt_sqrt //; exact: dot_ge0. Qed.

Lemma eq_norm u v : u =1 v -> norm u = norm v.
Proof. by move=> e; rewrite /norm /dot; congr sqrt; apply: eq_bigr => i _; rewrite e. Qed.

(* 2 (|u|^2 |v|^2 - (u.v)^2) = sum over i, j of (u_i v_j - u_j v_i)^2 *)
Lemma cauchy_schwarz u v : dot u v * dot u v <= dot u u * dot v v.
Proof.
have : 0 <= \sum_i \sum_j ((u i * v j - u j * v i) * (u i * v j - u j * v i)).
  by apply: sum_ge0 => i _; apply: sum_ge0 => j _; exact: Rle_0_sqr.
have -> : \sum_i \sum_j ((u i * v j - u j * v i) * (u i * v j - u j * v i)) =
  2 * (dot u u * dot v v) - 2 * (dot u v * dot u v); last by lra.
have e1 : dot u u * dot v v = \sum_i \sum_j ((u i * u i) * (v j * v j)) by rewrite -sum_prod.
have e2 : dot u u * dot v v = \sum_i \sum_j ((u j * u j) * (v i * v i)) by rewrite e1 exchange_big.
have e3 : dot u v * dot u v = \sum_i \sum_j ((u i * v i) * (u j * v j)) by rewrite -sum_prod.
have -> : 2 * (dot u u * dot v v) - 2 * (dot u v * dot u v) =
  dot u u * dot v v + dot u u * dot v v - 2 * (dot u v * dot u v) by lra.
rewrite {1}e1 e2 e3 sum_mulr -sum_add -sum_sub.
apply: eq_bigr => i _; rewrite sum_mulr -sum_add -sum_sub.
by apply: eq_bigr => j _; lra.
Qed.

Lemma dot_le u v : dot u v <= norm u * norm v.
Proof.
rewrite -sqrt_mult; try exact: dot_ge0.
apply: Rle_trans (Rle_abs _) _; rewrite -sqrt_Rsqr_abs.
by apply: sqrt_le_1_alt; exact: cauchy_schwarz.
Qed.

Lemma norm_add u v : norm (fun i => u i + v i) <= norm u + norm v.
Proof.
move: (norm_ge0 u) (norm_ge0 v) => u0 v0.
rewrite -(sqrt_Rsqr (norm u + norm v)); last by lra.
apply: sqrt_le_1_alt; rewrite /Rsqr.
have -> : dot (fun i => u i + v i) (fun i => u i + v i) = dot u u + 2 * dot u v + dot v v.
  by rewrite /dot sum_mulr -!sum_add; apply: eq_bigr => i _; lra.
by move: (norm_sqr u) (norm_sqr v) (dot_le u v); nra.
Qed.

Lemma norm_scale c u : norm (fun i => c * u i) = Rabs c * norm u.
Proof.
have -> : Rabs c = sqrt (c * c) by rewrite -sqrt_Rsqr_abs.
rewrite -sqrt_mult; [|nra|exact: dot_ge0].
by congr sqrt; rewrite /dot sum_mulr; apply: eq_bigr => i _; lra.
Qed.

Lemma norm_opp u : norm (fun i => - u i) = norm u.
Proof. by congr sqrt; apply: eq_bigr => i _; lra. Qed.

Lemma norm_sub_le u v : norm (fun i => u i - v i) <= norm u + norm v.
Proof. by move: (norm_add u (fun i => - v i)); rewrite norm_opp. Qed.

Lemma norm0 : norm (fun _ : I => 0) = 0.
Proof. by rewrite /norm /dot big1 ?sqrt_0 // => i _; lra. Qed.

Lemma norm_sub u v : norm u - norm v <= norm (fun i => u i - v i).
Proof.
have -> : norm u = norm (fun i => (u i - v i) + v i) by apply: eq_norm => i; lra.
by have := norm_add (fun i => u i - v i) v; lra.
Qed.

Lemma norm_sum (J : finType) (P : pred J) (f : J -> I -> R) :
  norm (fun k => \sum_(j | P j) f j k) <= \sum_(j | P j) norm (f j).
Proof.
rewrite unlock /reducebig; elim: (index_enum J) => [|j r IH] /=; first by rewrite norm0; lra.
by case: (P j) => //; apply: Rle_trans (norm_add _ _) _; lra.
Qed.

Lemma norm_le u c : 0 <= c -> dot u u <= c * c -> norm u <= c.
Proof. by move=> c0 le; rewrite -(sqrt_square c) //; exact: sqrt_le_1_alt. Qed.

Lemma dot_abs u v : Rabs (dot u v) <= norm u * norm v.
Proof.
apply/Rabs_le; split; last exact: dot_le.
have := dot_le (fun i => - u i) v; rewrite norm_opp.
by rewrite (_ : dot _ v = - dot u v); [lra | rewrite /dot -sum_opp; apply: eq_bigr => i _; lra].
Qed.
End Vectors.
