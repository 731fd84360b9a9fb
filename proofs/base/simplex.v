(* The quadratic form v^T (diag p - p p^T) v of weights p: it is between 0 and |v|^2 / 2. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export vectors.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Simplex.
Variables (I : finType) (p : I -> R).
Implicit Types u v : I -> R.
Hypothesis S : simplex p.
Local Notation mean := (mean p).
Local Notation form := (form p).

Lemma at_most_1 i : 0 <= p i <= 1.
Proof. by case: S => p0 p1; split; [exact: p0 | rewrite -p1; exact: sum_ge_term]. Qed.

Lemma two_at_most_1 i j : i != j -> p i + p j <= 1.
Proof.
move=> ij; rewrite -S.2 (bigD1 i) //= (bigD1 j) /=; last by rewrite eq_sym.
rewrite -Rplus_assoc -[X in X <= _]addR0; apply: Rplus_le_compat_l.
by apply: sum_ge0 => k _; exact: S.1.
Qed.

(* sum over i, j of p_i p_j f_i g_j *)
Lemma pairs (f g : I -> R) : \sum_i \sum_j (p i * p j * (f i * g j)) = mean f * mean g.
Proof. by rewrite /mean sum_prod; apply: eq_bigr => i _; apply: eq_bigr => j _; lra. Qed.

Lemma mean1 : mean (fun _ => 1) = 1.
Proof. by apply: etrans S.2; apply: eq_bigr => i _; lra. Qed.

(* 2 v^T (diag p - p p^T) v = sum p_i p_j (v_i - v_j)^2 *)
Lemma form_pairs v : 2 * form v v = \sum_i \sum_j (p i * p j * ((v i - v j) * (v i - v j))).
Proof.
have e : \sum_i \sum_j (p i * p j * ((v i - v j) * (v i - v j))) =
    \sum_i \sum_j (p i * p j * (v i * v i * 1)) + \sum_i \sum_j (p i * p j * (1 * (v j * v j)))
    - 2 * \sum_i \sum_j (p i * p j * (v i * v j)).
  rewrite sum_mulr -sum_add -sum_sub; apply: eq_bigr => i _.
  by rewrite sum_mulr -sum_add -sum_sub; apply: eq_bigr => j _; lra.
by rewrite e !pairs !mean1 /form /mean; lra.
Qed.

Lemma form_ge0 v : 0 <= form v v.
Proof.
have : 0 <= 2 * form v v; last by lra.
rewrite form_pairs; apply: sum_ge0 => i _; apply: sum_ge0 => j _.
by apply: Rmult_le_pos; [apply: Rmult_le_pos; apply: S.1 | exact: Rle_0_sqr].
Qed.

(* Because 2 sum p_i (1 - p_i) v_i^2 - v^T (..) v = 1/2 sum over i != j of p_i p_j (v_i + v_j)^2. *)
Lemma form_half v : form v v <= 1/2 * dot v v.
Proof.
have twice : 0 <= \sum_i (p i * (v i * v i)) + mean v * mean v - 2 * (\sum_i (p i * p i * (v i * v i))).
  have : 0 <= \sum_i (\sum_j (p i * p j * ((v i + v j) * (v i + v j))) - p i * p i * ((v i + v i) * (v i + v i))).
    apply: sum_ge0 => i _; rewrite (bigD1 i) //=.
    have : 0 <= \sum_(j | j != i) (p i * p j * ((v i + v j) * (v i + v j))); last by lra.
    apply: sum_ge0 => j _.
    by apply: Rmult_le_pos; [apply: Rmult_le_pos; apply: S.1 | exact: Rle_0_sqr].
  have e : \sum_i \sum_j (p i * p j * ((v i + v j) * (v i + v j))) =
      \sum_i \sum_j (p i * p j * (v i * v i * 1)) + \sum_i \sum_j (p i * p j * (1 * (v j * v j)))
      + 2 * \sum_i \sum_j (p i * p j * (v i * v j)).
    rewrite sum_mulr -!sum_add; apply: eq_bigr => i _.
    by rewrite sum_mulr -!sum_add; apply: eq_bigr => j _; lra.
  rewrite sum_sub e !pairs !mean1.
  have -> : \sum_i (p i * p i * ((v i + v i) * (v i + v i))) = 4 * (\sum_i (p i * p i * (v i * v i))).
    by rewrite sum_mulr; apply: eq_bigr => i _; lra.
  by rewrite /mean; lra.
have squares : 2 * (\sum_i (p i * (v i * v i))) - 2 * (\sum_i (p i * p i * (v i * v i))) <= 1/2 * dot v v.
  rewrite /dot !sum_mulr -sum_sub; apply: sum_le => i _.
  have : 0 <= (1 - 2 * p i) * (1 - 2 * p i) * (v i * v i) by apply: Rmult_le_pos; exact: Rle_0_sqr.
  by lra.
by rewrite /form; lra.
Qed.

(* Cauchy-Schwarz for the form, and so its norm as a bilinear one. *)
Lemma form_cauchy u v : form u v * form u v <= form u u * form v v.
Proof.
have c t s : form (fun i => t * u i + s * v i) (fun i => t * u i + s * v i) =
    t * t * form u u + 2 * t * s * form u v + s * s * form v v.
  rewrite /form /mean.
  have -> : \sum_i (p i * (t * u i + s * v i)) = t * (\sum_i (p i * u i)) + s * (\sum_i (p i * v i)).
    by rewrite !sum_mulr -sum_add; apply: eq_bigr => i _; lra.
  have -> : \sum_i (p i * ((t * u i + s * v i) * (t * u i + s * v i))) =
      t * t * (\sum_i (p i * (u i * u i))) + 2 * t * s * (\sum_i (p i * (u i * v i))) + s * s * (\sum_i (p i * (v i *
        v i))).
    by rewrite !sum_mulr -!sum_add; apply: eq_bigr => i _; lra.
  by lra.
move: (form_ge0 u) (form_ge0 v) => u0 v0.
have h1 := form_ge0 (fun i => form u v * u i + (- form u u) * v i); rewrite c in h1.
have h2 := form_ge0 (fun i => form v v * u i + (- form u v) * v i); rewrite c in h2.
have h3 := form_ge0 (fun i => 1 * u i + (- form u v) * v i); rewrite c in h3.
case: (Rle_lt_or_eq_dec _ _ u0) => [pos|e]; first by nra.
case: (Rle_lt_or_eq_dec _ _ v0) => [pos|e']; first by nra.
by rewrite -e -e' in h3 *; nra.
Qed.

Lemma form_le u v : form u v <= 1/2 * (norm u * norm v).
Proof.
move: (norm_ge0 u) (norm_ge0 v) (norm_sqr u) (norm_sqr v) => u0 v0 eu ev.
move: (form_half u) (form_half v) (form_ge0 u) (form_ge0 v) => hu hv pu pv.
have n0 : 0 <= 1/2 * (norm u * norm v) by nra.
apply: Rsqr_incr_0_var => //; rewrite /Rsqr.
apply: Rle_trans (form_cauchy u v) _.
apply: Rle_trans (_ : (1/2 * dot u u) * (1/2 * dot v v) <= _); first by apply: Rmult_le_compat.
by rewrite -eu -ev; lra.
Qed.

End Simplex.
