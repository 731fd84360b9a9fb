(* softmax on the tokens of a mask m: its weights, and the derivative of u . softmax(z + s h). *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Coquelicot Require Import Coquelicot.
From Attncert Require Export simplex.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Softmax.
Variables (I : finType) (m : I -> R).
Hypothesis m0 : forall i, 0 <= m i.
Implicit Types z h u : I -> R.

Definition masked T z i := m i * exp (z i / T) / \sum_j (m j * exp (z j / T)).

Lemma masked_sum_pos T z (i : I) : 0 < m i -> 0 < \sum_j (m j * exp (z j / T)).
Proof.
move=> mi; apply: Rlt_le_trans (Rmult_lt_0_compat _ _ mi (exp_pos (z i / T))) _.
apply: (sum_ge_term (f := fun j => m j * exp (z j / T))) => j.
by apply: Rmult_le_pos => //; apply: Rlt_le; exact: exp_pos.
Qed.

Lemma masked_simplex z T (i : I) : 0 < m i -> simplex (masked T z).
Proof.
move=> mi; have s0 := masked_sum_pos T z mi; split=> [j|].
  apply: Rmult_le_pos; last by apply: Rlt_le; exact: Rinv_0_lt_compat.
  by apply: Rmult_le_pos => //; apply: Rlt_le; exact: exp_pos.
by rewrite /masked /Rdiv sum_mull; apply: Rinv_r; lra.
Qed.

Lemma is_derive_sum (f : I -> R -> R) (df : I -> R) x : (forall i, is_derive (f i) x (df i)) ->
  is_derive (fun y => \sum_i f i y) x (\sum_i df i).
Proof.
move=> D; rewrite unlock /reducebig; elim: (index_enum I) => [|i r IH] /=; first exact: is_derive_const.
exact: (is_derive_plus (f i)).
Qed.

Lemma is_derive_eq (f : R -> R) x (a b : R) : is_derive f x a -> a = b -> is_derive f x b.
Proof. by move=> ? <-. Qed.

(* d/ds of u . softmax(z + s h) is u^T (diag p - p p^T) h / T with p = softmax(z + s h). *)
Lemma masked_derivative T z h u (i : I) s : 0 < m i -> 0 < T ->
  is_derive (fun s => dot u (masked T (fun j => z j + s * h j))) s
    (form (masked T (fun j => z j + s * h j)) u h / T).
Proof.
move=> mi T0; set e := fun j => m j * exp ((z j + s * h j) / T); set S := \sum_j e j.
have S0 : 0 < S by exact: masked_sum_pos mi.
set S' := \sum_j (h j / T * e j).
have dexp j : is_derive (fun s => m j * exp ((z j + s * h j) / T)) s (h j / T * e j).
  by auto_derive => //; rewrite /e /Rdiv; ring.
have dS : is_derive (fun s => \sum_j (m j * exp ((z j + s * h j) / T))) s S' by exact: is_derive_sum.
have d j : is_derive (fun s => u j * masked T (fun j => z j + s * h j) j) s
    (u j * ((h j / T * e j * S - e j * S') / (S * S))).
  apply: is_derive_scal; rewrite /masked.
  by have := is_derive_div _ _ s _ _ (dexp j) dS; rewrite /= Rmult_1_r; apply; apply: Rgt_not_eq.
apply: is_derive_eq (is_derive_sum d) _.
set p := masked T (fun j => z j + s * h j).
have pE j : e j = p j * S by rewrite /p /masked -/(e j) -/S; field; lra.
have SE : S' = (\sum_j (p j * h j)) * (S / T).
  by rewrite -sum_mull /S'; apply: eq_bigr => j _; rewrite pE; field; lra.
rewrite /form /mean SE; set M := \sum_j (p j * h j).
transitivity (\sum_i ((p i * (u i * h i) - p i * u i * M) * / T)).
  by apply: eq_bigr => j _; rewrite pE; field; lra.
by rewrite sum_mull sum_sub sum_mull.
Qed.

(* The mean value theorem along the segment from z to z'. *)
Lemma masked_mean_value T z z' u (i : I) : 0 < m i -> 0 < T -> exists c,
  dot u (fun j => masked T z' j - masked T z j) =
  form (masked T (fun j => z j + c * (z' j - z j))) u (fun j => z' j - z j) / T.
Proof.
move=> mi T0; set h := fun j => z' j - z j.
have [c [_ e]] := MVT_gen (fun s => dot u (masked T (fun j => z j + s * h j))) 0 1
  (fun s => form (masked T (fun j => z j + s * h j)) u h / T)
  (fun s _ => masked_derivative z h u s mi T0)
  (fun s _ => derivable_continuous_pt _ _ (ex_derive_Reals_0 _ _ (ex_intro _ _ (masked_derivative z h u s mi T0)))).
exists c; rewrite -[RHS]mulR1 -[X in _ * X](Rminus_0_r 1) -e.
have same s y : (forall j, z j + s * h j = y j) ->
    dot u (masked T (fun j => z j + s * h j)) = dot u (masked T y).
  move=> ey; apply: eq_bigr => j _; congr (_ * _); rewrite /masked ey; congr (_ / _).
  by apply: eq_bigr => k _; rewrite ey.
rewrite (same 1 z') => [|j]; last by rewrite /h; lra.
rewrite (same 0 z) => [|j]; last by lra.
by rewrite /dot -sum_sub; apply: eq_bigr => j _; lra.
Qed.
End Softmax.

Section All.
Variable I : finType.
Implicit Types z : I -> R.

Lemma masked_all T z i : masked (fun _ => 1) T z i = softmax T z i.
Proof. by rewrite /masked /softmax mul1R; congr (_ / _); apply: eq_bigr => j _; rewrite mul1R. Qed.

Lemma sum_exp_pos T z (i : I) : 0 < \sum_j exp (z j / T).
Proof.
apply: Rlt_le_trans (exp_pos (z i / T)) _.
by apply: (sum_ge_term (f := fun j => exp (z j / T))) => j; apply: Rlt_le; exact: exp_pos.
Qed.

Lemma softmax_pos T z i : 0 < softmax T z i.
Proof. by apply: Rdiv_lt_0_compat; [exact: exp_pos | exact: sum_exp_pos i]. Qed.

Lemma softmax_simplex T z (i : I) : simplex (softmax T z).
Proof.
split=> [j|]; first exact: Rlt_le (softmax_pos T z j).
by rewrite /softmax /Rdiv sum_mull; apply: Rinv_r; have := sum_exp_pos T z i; lra.
Qed.
End All.
