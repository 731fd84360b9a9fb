(* What a reader has to trust: the notions that the theorems speak of, as docs/specification.md has them in words.
   Tokens, or coordinates, are the elements of a finite type; rows and vectors are functions on it. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Coq Require Export Reals.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Notation "\sum_ ( i | P ) F" := (\big[Rplus/0]_(i | P%B) F%R) : R_scope.
Notation "\sum_ ( i : t | P ) F" := (\big[Rplus/0]_(i : t | P%B) F%R) (only parsing) : R_scope.
Notation "\sum_ ( i 'in' A ) F" := (\big[Rplus/0]_(i in A) F%R) : R_scope.
Notation "\sum_ i F" := (\big[Rplus/0]_i F%R) : R_scope.
Notation "\sum_ ( i < n ) F" := (\big[Rplus/0]_(i < n) F%R) : R_scope.

Section Vectors.
Variable I : finType.
Implicit Types (P : pred I) (f u v : I -> R).

Definition dot u v := \sum_i (u i * v i).
Definition norm u := sqrt (dot u u).

(* Of values >= 0: 0 over no token. *)
Definition maximum P f := \big[Rmax/0]_i (if P i then f i else 0).
Definition minimum P f := \big[Rmin/maximum P f]_i (if P i then f i else maximum P f).

Definition power x p := if Req_EM_T x 0 then 0 else Rpower x p.  (* of x >= 0 *)
Definition norm_p p u := power (\sum_i power (Rabs (u i)) p) (1 / p).
Definition norm_inf u := maximum xpredT (fun i => Rabs (u i)).

Definition apply (A : I -> I -> R) v i := \sum_j (A i j * v j).
Definition frobenius (A : I -> I -> R) := sqrt (\sum_i \sum_j (A i j * A i j)).
End Vectors.

Section Weights.
Variable I : finType.
Implicit Types p u v z F : I -> R.

Definition simplex p := (forall i, 0 <= p i) /\ \sum_i p i = 1.
Definition mean p v := \sum_i (p i * v i).
Definition form p u v := \sum_i (p i * (u i * v i)) - mean p u * mean p v.  (* u^T (diag p - p p^T) v *)
Definition softmax T z i := exp (z i / T) / \sum_j exp (z j / T).
Definition range z := maximum xpredT (fun i => maximum xpredT (fun j => z i - z j)).
Definition softmax_jacobian T z i j := softmax T z i * ((if i == j then 1 else 0) - softmax T z j) / T.

(* Separable: F_i is the value of F at the i-th logit, F'_i that of its derivative. *)
Definition total F := \sum_j F j.
Definition weight F i := F i / total F.
Definition ratio F := maximum xpredT F / minimum xpredT F.
Definition jacobian F F' (i j : I) := ((if i == j then 1 else 0) - weight F i) * (F' j / total F).
End Weights.

(* Tokens x of weights a, of which those of S are selected. *)
Section Selection.
Variables (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}).

Definition output k := \sum_i (a i * x i k).
Definition context k := \sum_(j in S) (a j * x j k).
Definition mass := \sum_(j in S) a j.
Definition count := \sum_(j in S) 1.
Definition distance i := norm (fun k => a i * x i k - context k).
Definition d_tilde := \sum_(i | i \notin S) distance i.
Definition top := forall i j, i \notin S -> j \in S -> a i <= a j.
Definition farthest := maximum (fun i => i \notin S) (fun i => maximum (mem S) (fun j => norm (fun k =>
  x i k - x j k))).

(* Of Theorem 2: M is the radius of the sphere, D a distance between tokens;
  xi_i has the smallest one, eta_i the largest. *)
Definition separation := minimum xpredT (fun i => minimum (fun j => j != i) (fun j => norm (fun k => x i k - x j k))).
Definition diameter := maximum xpredT (fun i => maximum xpredT (fun j => norm (fun k => x i k - x j k))).
Definition radius := minimum (fun i => i \notin S) distance.
Definition separable := \sum_(i in S) (if Rle_dec (distance i) radius then 1 else 0).
Definition estimate M D i := sqrt (M * M * (\sum_(j | (j \in S) && (j != i)) (a j * a j)) + (M * M - D * D / 2) *
  (\sum_(j | (j \in S) && (j != i)) (\sum_(k | ((k \in S) && (k != i)) && (k != j)) (a j * a k)))).
End Selection.

(* Rows and sets of given numbers. *)
Definition row {n} (xs : seq R) : 'I_n -> R := fun i => nth 0 xs i.
Definition rows {n d} (xs : seq (seq R)) : 'I_n -> 'I_d -> R := fun i k => nth 0 (nth [::] xs i) k.
Definition chosen {n} (places : seq nat) : {set 'I_n} := [set i | val i \in places].
