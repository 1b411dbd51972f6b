import { z } from 'zod'
import { Ed25519Block } from '../../../ledger/keys/sealed-document.ts'
import { AnyJson, Hash, KeyId, MacField, Name, Time } from '../../../ledger/wire/fields.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { Equality } from '../../rows/equality/equality.ts'
import { LoraRecipe } from '../../stages/lora/lora-recipe.ts'
import { DIGEST_REASONS } from '../../rows/split/kept-rows.ts'
import { EVAL_MODES, type EvalMode } from '../../rows/split/split-report.ts'
import { TabularRecipe } from '../../../model/tabular/recipe/tabular-recipe.ts'
import { COMPOSITE_BOUNDS } from '../../runtime/composite/bounds.ts'
import { LEAF_KINDS } from '../../runtime/composite/composite-recipe.ts'
import { LEAF_RESULTS } from '../../runtime/composite/judge-leaves.ts'
import { RECIPE_KINDS } from '../../rows/task.ts'
import { Acceptance } from '../schemas/acceptance.ts'
import { CidField, Count, Share } from '../schemas/fields.ts'

const AnyObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
)
const RecipeId = z.string().regex(/^rcp_[0-9a-z]{26}$/)

const memberOf = <Name extends string>(member: Name) =>
  z.strictObject({ member: z.literal(member), sha256: Hash, size_bytes: Count })

/** One recipe of `svc-recipes-1`. */
const SingleEntry = z.discriminatedUnion('kind', [
  z.strictObject({ id: RecipeId, kind: z.literal('program'), program: AnyObject }),
  z.strictObject({
    id: RecipeId,
    kind: z.literal('classifier'),
    classifier: AnyObject,
    weights: memberOf('weights.bin'),
  }),
  z.strictObject({
    id: RecipeId,
    kind: z.literal('tabular'),
    tabular: TabularRecipe,
    weights: memberOf('weights.bin'),
  }),
  z.strictObject({
    id: RecipeId,
    kind: z.literal('lora'),
    lora: LoraRecipe,
    adapter: z.strictObject({
      config: memberOf('adapter_config.json'),
      weights: memberOf('adapter_model.safetensors'),
    }),
  }),
])
/** The recipe of `svc-recipes-2`: a tree of leaves, which `parseComposite` reads. */
const CompositeEntry = z.strictObject({ id: RecipeId, kind: z.literal('composite'), composite: AnyObject })
/** One recipe of `recipes.json`. */
export type RecipeEntry = z.infer<typeof SingleEntry> | z.infer<typeof CompositeEntry>

/** `recipes.json`: the second form for composites, the first for every other kind. */
export const RecipesDocument = z.discriminatedUnion('spec', [
  z.strictObject({
    spec: z.literal('svc-recipes-1'),
    n: z.literal(1),
    recipes: z.tuple([SingleEntry]),
    /** Absent in archives of early builds, whose rows a comparator judged. */
    equality: Equality.optional(),
  }),
  z.strictObject({
    spec: z.literal('svc-recipes-2'),
    n: z.literal(1),
    recipes: z.tuple([CompositeEntry]),
    equality: Equality,
  }),
])

/** One row of `evals.json` of builds before cross-fitting. */
export const EvalEntry = z.strictObject({
  id: z.string().max(256),
  input: AnyJson,
  expected: AnyJson,
  output: AnyJson,
  abstained: z.boolean(),
  correct: z.boolean(),
})

/** One row of `evals.json`, with the fold that it is in and the confidence of its answer. */
export const FoldedEvalEntry = z.strictObject({
  ...EvalEntry.shape,
  fold: Count.nullable(),
  confidence: Share,
  /** Of a composite: what became of each leaf; null where the expected output has no value. */
  leaves: z.array(z.enum(LEAF_RESULTS).nullable()).max(COMPOSITE_BOUNDS.leaves).optional(),
})

/** Results of one leaf over all rows. `n` counts the rows whose expected output has a value there. */
export const LeafTotals = z.strictObject({
  path: z.array(z.union([z.string(), Count])),
  part: z.enum(['value', 'present']),
  kind: z.enum(LEAF_KINDS),
  n: Count,
  correct: Count,
  abstained: Count,
  failed: Count,
})
export type LeafTotals = z.infer<typeof LeafTotals>

/** One row of `evals.json` of an archive that holds digests: of `{expected, input}`, and of the answer. */
const DigestedEvalEntry = z.strictObject({
  id: z.string().max(256),
  row: Hash,
  output: Hash,
  abstained: z.boolean(),
  correct: z.boolean(),
  fold: Count.nullable(),
  confidence: Share,
})
export type DigestedEvalRow = z.infer<typeof DigestedEvalEntry>

const EvalTotals = {
  n: Count,
  correct: Count,
  abstained: Count,
  eval_set_hash: Hash,
  results_hash: Hash,
  shown: Count,
}

/** `evals.json`: at most 1,000 rows, with digests over all of them; the first form is that of earlier builds. */
export const EvalsDocument = z.discriminatedUnion('spec', [
  z.strictObject({
    spec: z.literal('svc-evals-1'),
    split: z.enum(['holdout', 'leave_one_out']),
    /** `equality`: that of recipes.json. The others are of early builds. */
    comparator: z.enum(['equality', 'exact', 'number']),
    ...EvalTotals,
    rows: z.array(EvalEntry),
  }),
  z.strictObject({
    spec: z.literal('svc-evals-2'),
    mode: z.enum(EVAL_MODES),
    /** That of recipes.json. */
    comparator: z.literal('equality'),
    ...EvalTotals,
    /** Of a composite: its leaves in the order of the tree, with the kinds that ship. */
    leaves: z.array(LeafTotals).max(COMPOSITE_BOUNDS.leaves).optional(),
    rows: z.array(FoldedEvalEntry),
    /** In place of the rows, where the archive holds digests of them. */
    digests: z.array(DigestedEvalEntry).optional(),
    /** Why there are digests; absent where there are none, and in earlier builds. */
    why_digests: z.enum(DIGEST_REASONS).optional(),
  }),
])
export type EvalsDocument = z.infer<typeof EvalsDocument>

/** Returns how the rows of an evaluation were scored. */
export function scoringOf(evals: EvalsDocument): EvalMode | 'leave_one_out' {
  return evals.spec === 'svc-evals-1' ? evals.split : evals.mode
}

/** Returns true when each row was answered by a recipe of its fold. */
export function isFolded(evals: EvalsDocument): boolean {
  const scoring = scoringOf(evals)
  return scoring === 'cross_fit' || scoring === 'leave_one_out'
}

/** One line of the manifest's table of members. */
export const ManifestMember = z.strictObject({ sha256: Hash, size_bytes: Count, role: Name })

/** `manifest.json`. Fields that a later version adds are kept: they are under the signature. */
export const Manifest = z
  .object({
    /** `svc-2` where the verifier is one that runs apply. */
    spec: z.enum(['svc-1', 'svc-2']),
    cid: CidField,
    artifact_hash: Hash,
    eval_set_hash: Hash,
    job_id: Name,
    task: z.string(),
    base_model: z.string().max(1024),
    k_score: Share,
    k_score_floor: Share,
    /** Of an artifact below its floor, which its tenant accepted. */
    accepted: Acceptance.optional(),
    artifact_class: z.enum(RECIPE_KINDS),
    created_at: Time,
    runtime: z.strictObject({ target: z.literal('svc'), version: Name }),
    entry: z.strictObject({
      recipe_id: RecipeId,
      kind: z.enum(RECIPE_KINDS),
      file: z.literal('recipes.json'),
      sha256: Hash,
    }),
    hashes: z.record(z.string(), Hash),
    members: z.record(z.string(), ManifestMember),
  })
  .catchall(AnyJson)
  .meta({ id: 'Manifest', description: 'manifest.json of a .svc archive' })
export type Manifest = z.infer<typeof Manifest>

/** `signature.sig`. */
export const SignatureDocument = z
  .object({
    spec: z.literal('svc-signature-1'),
    job_id: Name,
    cid: CidField,
    manifest_hash: Hash,
    artifact_hash: Hash,
    eval_set_hash: Hash,
    k_score: Share,
    container: z.strictObject({ size_bytes: Count, sha256: Hash }),
    key_id: KeyId,
    issued_at: Time,
    hmac: MacField,
    signature_ed25519: Ed25519Block,
  })
  .catchall(AnyJson)
export type SignatureDocument = z.infer<typeof SignatureDocument>
