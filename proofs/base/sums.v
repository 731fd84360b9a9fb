(* Finite sums of real numbers: MathComp's big operators on Coq's own reals, so that lra, nra, field and interval
   work beside reindexing and exchange of sums. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Coq Require Export Lra Psatz.
From Attncert Require Export definitions.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma addRA : associative Rplus. Proof. by move=> a b c; lra. Qed.
Lemma addRC : commutative Rplus. Proof. by move=> a b; lra. Qed.
Lemma add0R : left_id 0 Rplus. Proof. by move=> a; lra. Qed.
Lemma addR0 : right_id 0 Rplus. Proof. by move=> a; lra. Qed.
Lemma mulRA : associative Rmult. Proof. by move=> a b c; lra. Qed.
Lemma mulRC : commutative Rmult. Proof. by move=> a b; lra. Qed.
Lemma mul1R : left_id 1 Rmult. Proof. by move=> a; lra. Qed.
Lemma mulR1 : right_id 1 Rmult. Proof. by move=> a; lra. Qed.
Lemma mul0R : left_zero 0 Rmult. Proof. by move=> a; lra. Qed.
Lemma mulR0 : right_zero 0 Rmult. Proof. by move=> a; lra. Qed.
Lemma mulRDl : left_distributive Rmult Rplus. Proof. by move=> a b c; lra. Qed.
Lemma mulRDr : right_distributive Rmult Rplus. Proof. by move=> a b c; lra. Qed.

Canonical addR_monoid := Monoid.Law addRA add0R addR0.
Canonical addR_comoid := Monoid.ComLaw addRC.
Canonical mulR_monoid := Monoid.Law mulRA mul1R mulR1.
Canonical mulR_comoid := Monoid.ComLaw mulRC.
Canonical mulR_muloid := Monoid.MulLaw mul0R mulR0.
Canonical addR_addoid := Monoid.AddLaw mulRDl mulRDr.

Lemma le_div x y z : 0 < z -> x * z <= y -> x <= y / z.
Proof. by move=> z0 le; apply: (Rmult_le_reg_r z) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra. Qed.

Lemma div_le x y z : 0 < z -> x <= y * z -> x / z <= y.
Proof. by move=> z0 le; apply: (Rmult_le_reg_r z) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra. Qed.

Lemma nat_above x : exists n, x < INR n.
Proof.
have [above _] := archimed (Rmax x 0); have := Rmax_l x 0; have := Rmax_r x 0 => pos le.
have up0 : (0 <= up (Rmax x 0))%Z by apply: le_IZR; lra.
by exists (Z.to_nat (up (Rmax x 0))); rewrite INR_IZR_INZ Znat.Z2Nat.id //; lra.
Qed.

Section Sums.
Variable I : finType.
Implicit Types (P : pred I) (f g : I -> R) (c : R).

Lemma sum_le P f g : (forall i, P i -> f i <= g i) -> \sum_(i | P i) f i <= \sum_(i | P i) g i.
Proof. by move=> le; elim/big_ind2: _ => [|x x' y y' ? ?|i /le]; lra. Qed.

Lemma sum_ge0 P f : (forall i, P i -> 0 <= f i) -> 0 <= \sum_(i | P i) f i.
Proof. by move=> ge0; elim/big_ind: _ => [|x y ? ?|i /ge0]; lra. Qed.

Lemma sum_abs P f : Rabs (\sum_(i | P i) f i) <= \sum_(i | P i) Rabs (f i).
Proof.
elim/big_ind2: _ => [|x x' y y' lex ley|i _]; [rewrite Rabs_R0; lra | | lra].
by move: (Rabs_triang x' y'); lra.
Qed.

Lemma sum_mulr P f c : c * (\sum_(i | P i) f i) = \sum_(i | P i) (c * f i).
Proof. exact: big_distrr. Qed.

Lemma sum_mull P f c : \sum_(i | P i) (f i * c) = (\sum_(i | P i) f i) * c.
Proof. by rewrite big_distrl. Qed.

Lemma sum_add P f g : \sum_(i | P i) (f i + g i) = \sum_(i | P i) f i + \sum_(i | P i) g i.
Proof. exact: big_split. Qed.

Lemma sum_opp P f : \sum_(i | P i) (- f i) = - \sum_(i | P i) f i.
Proof. by elim/big_ind2: _ => [|x x' y y' -> ->|i _]; lra. Qed.

Lemma sum_sub P f g : \sum_(i | P i) (f i - g i) = \sum_(i | P i) f i - \sum_(i | P i) g i.
Proof. by rewrite /Rminus big_split sum_opp. Qed.

Lemma sum_const P c : \sum_(i | P i) c = INR #|P| * c.
Proof.
rewrite big_const; elim: #|P| => [|n IH]; first by rewrite /=; lra.
by rewrite iterS IH S_INR; lra.
Qed.

(* Two sums multiplied are one over pairs. *)
Lemma sum_prod f g : (\sum_i f i) * (\sum_i g i) = \sum_i \sum_j (f i * g j).
Proof. by rewrite -sum_mull; apply: eq_bigr => i _; rewrite sum_mulr. Qed.

Lemma sum_split P f : \sum_i f i = \sum_(i | P i) f i + \sum_(i | ~~ P i) f i.
Proof. exact: bigID. Qed.

Lemma sum_ge_term f j : (forall i, 0 <= f i) -> f j <= \sum_i f i.
Proof.
move=> ge0; have rest : 0 <= \sum_(i | i != j) f i by apply: sum_ge0.
by rewrite (bigD1 j) //=; lra.
Qed.

Lemma sum_delta f i : \sum_j ((if i == j then 1 else 0) * f j) = f i.
Proof.
rewrite (bigD1 i) //= eqxx big1 ?addR0 ?mul1R // => j /negbTE.
by rewrite eq_sym => ->; rewrite mul0R.
Qed.
End Sums.
