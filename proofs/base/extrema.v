(* Largest and smallest of finitely many values >= 0. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export sums.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Extrema.
Variables (I : finType) (P : pred I) (f : I -> R).

Lemma fold_max (r : seq I) (g : I -> R) i : i \in r -> g i <= \big[Rmax/0]_(j <- r) g j.
Proof.
elim: r => [|j r IH] //; rewrite inE big_cons => /orP [/eqP -> | /IH le]; first exact: Rmax_l.
exact: Rle_trans le (Rmax_r _ _).
Qed.

Lemma maximum_ge i : P i -> f i <= maximum P f.
Proof. by move=> Pi; have := fold_max (fun j => if P j then f j else 0) (mem_index_enum i); rewrite Pi. Qed.

Lemma maximum_ge0 : 0 <= maximum P f.
Proof. rewrite /maximum; elim/big_rec: _ => [|i y _ y0]; [lra | exact: Rle_trans y0 (Rmax_r _ _)]. Qed.

Lemma maximum_le c : 0 <= c -> (forall i, P i -> f i <= c) -> maximum P f <= c.
Proof.
move=> c0 le; rewrite /maximum; elim/big_rec: _ => [|i y _ yc] //.
by apply: Rmax_lub => //; case: ifP => // /le.
Qed.

Lemma fold_min (r : seq I) (g : I -> R) c i : i \in r -> \big[Rmin/c]_(j <- r) g j <= g i.
Proof.
elim: r => [|j r IH] //; rewrite inE big_cons => /orP [/eqP -> | /IH le]; first exact: Rmin_l.
exact: Rle_trans (Rmin_r _ _) le.
Qed.

Lemma minimum_le i : P i -> minimum P f <= f i.
Proof. by move=> Pi; have := fold_min (fun j => if P j then f j else maximum P f) (maximum P f) (mem_index_enum i);
  rewrite Pi. Qed.

Lemma minimum_ge0 : (forall i, 0 <= f i) -> 0 <= minimum P f.
Proof.
move=> f0; rewrite /minimum; elim/big_rec: _ => [|j y _ y0]; first exact: maximum_ge0.
by apply: Rmin_glb => //; case: ifP => // _; exact: maximum_ge0.
Qed.

Lemma minimum_ge c i : P i -> (forall j, P j -> c <= f j) -> c <= minimum P f.
Proof.
move=> Pi le; have top : c <= maximum P f by apply: Rle_trans (le _ Pi) (maximum_ge Pi).
rewrite /minimum; elim/big_rec: _ => [|j y _ yc] //.
by apply: Rmin_glb => //; case: ifP => // /le.
Qed.

Lemma minimum_attained i : P i -> (forall j, P j -> 0 <= f j) -> exists2 j, P j & minimum P f = f j.
Proof.
move=> Pi f0; have max_in : exists2 j, P j & maximum P f = f j.
  have : maximum P f = 0 \/ exists2 j, P j & maximum P f = f j.
    rewrite /maximum; elim/big_rec: _ => [|j y _ IH]; first by left.
    case: (boolP (P j)) => Pj; rewrite /Rmax; case: Rle_dec => // _; by [right; exists j | left].
  case=> // max0; exists i => //; apply: Rle_antisym; first by rewrite max0; exact: f0.
  exact: maximum_ge.
rewrite /minimum; elim/big_rec: _ => [//|j y _ IH].
by case: (boolP (P j)) => Pj; rewrite /Rmin; case: Rle_dec => // _; exists j.
Qed.

Lemma minimum_gt0 i : P i -> (forall j, P j -> 0 < f j) -> 0 < minimum P f.
Proof. by move=> Pi pos; case: (minimum_attained Pi) => [j /pos /Rlt_le|j /pos lt ->]. Qed.
End Extrema.

Section Ratio.
Variables (I : finType) (F : I -> R) (i : I).
Hypothesis pos : forall j, 0 < F j.

Lemma least_gt0 : 0 < minimum xpredT F.
Proof. exact: (minimum_gt0 (i := i)). Qed.

Lemma least_le j : minimum xpredT F <= F j.
Proof. exact: minimum_le. Qed.

Lemma largest_ge j : F j <= maximum xpredT F.
Proof. exact: maximum_ge. Qed.

Lemma ratio_ge1 : 1 <= ratio F.
Proof.
apply: (Rmult_le_reg_r _ _ _ least_gt0); rewrite /ratio (_ : _ / _ * _ = maximum xpredT F).
  by have := least_le i; have := largest_ge i; lra.
by field; have := least_gt0; lra.
Qed.
End Ratio.
