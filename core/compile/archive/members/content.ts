import { createHash } from 'node:crypto'
import { DomainError } from '../../../kernel/errors.ts'
import { base32 } from '../../../kernel/ids.ts'
import { canonicalJson, sha256, type JsonObject, type Sha256 } from '../../../kernel/json/json.ts'
import type { Certificate } from '../../runtime/certificate/certificate-types.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { LoraRecipe } from '../../stages/lora/lora-recipe.ts'
import { RUNTIME_VERSION } from '../../../kernel/version.ts'
import { parseComposite } from '../../runtime/composite/composite-recipe.ts'
import type { LeafWeights } from '../../runtime/composite/composite-runner.ts'
import { isLeafMember } from '../../runtime/composite/places.ts'
import type { Verifier } from '../../stages/verifier/verifier-types.ts'
import { capabilityBlock, capabilityHash } from '../capability.ts'
import { computeCid, type Cid, type MemberHashes } from '../cid.ts'
import { EvalsDocument, RecipesDocument, type RecipeEntry } from './documents.ts'
import { CONTENT_MEMBERS, isContentMember, OPTIONAL_MEMBERS, type ContentMember } from './members.ts'
import { decodeJson, encodeJson, parseDocument, toJsonObject } from './members-json.ts'
import { CapabilityDocument } from '../schemas/capability.ts'
import type { KeptRows } from '../../rows/split/kept-rows.ts'
import { RowsDocument } from '../schemas/rows.ts'
import { CertificateDocument } from '../schemas/certificate.ts'
import { VerifierDocument } from '../schemas/verifier.ts'
import { readZip } from '../zip/read.ts'
import { refuse } from '../zip/refusal.ts'
import { writeZip } from '../zip/write.ts'

/** A verifier of earlier builds, which runs do not apply. */
type EarlierVerifier = Omit<Verifier, 'spec' | 'inputs' | 'on_doubt'> & { readonly spec: 'svc-verifier-1' }

/** The recipe that a compile chose: data of its kind, and binary weights where the kind has them. */
export type RecipeSource =
  | { readonly kind: 'program'; readonly recipe: JsonObject }
  | { readonly kind: 'classifier' | 'tabular'; readonly recipe: JsonObject; readonly weights: Uint8Array }
  | { readonly kind: 'composite'; readonly recipe: JsonObject; readonly leafWeights: LeafWeights }
  | { readonly kind: 'lora'; readonly recipe: LoraRecipe; readonly adapter: AdapterBytes }

/** An adapter in PEFT's two files. */
export interface AdapterBytes {
  readonly config: Uint8Array
  readonly weights: Uint8Array
}

/** Source of the content members. Plain data; the same input gives the same bytes. */
export interface ContentInput {
  readonly recipe: RecipeSource
  /** The synthesized verifier, as plain data. */
  readonly verifier: Verifier | EarlierVerifier
  readonly evals: EvalsDocument
  /** The equality that judged the rows of `evals`; absent where a comparator of early builds did. */
  readonly equality?: Equality | undefined
  /** Rows besides those of `evals`; null or absent where there are none, or the archive holds digests. */
  readonly rows?: KeptRows | null | undefined
  /** Null or absent where no risk was named. */
  readonly certificate?: Certificate | null | undefined
}

/** The content members with their bytes, digests and CID. */
export interface ContentMembers {
  readonly members: ReadonlyMap<ContentMember, Uint8Array>
  readonly hashes: MemberHashes
  readonly cid: Cid
  readonly recipe: RecipeEntry
  /** Null in archives of early builds. */
  readonly equality: Equality | null
  readonly verifier: VerifierDocument
  readonly evals: EvalsDocument
  /** `rows.json`; null where the archive has none. */
  readonly rows: RowsDocument | null
  /** Null where no risk was named. */
  readonly certificate: CertificateDocument | null
  readonly capability: CapabilityDocument
}

/** Makes the content members of an archive, byte for byte the same for the same input. */
export function buildContent(input: ContentInput): ContentMembers {
  const recipe = recipeBody(input.recipe)
  const members = new Map<ContentMember, Uint8Array>()
  members.set(
    'recipes.json',
    encodeJson({
      spec: input.recipe.kind === 'composite' ? 'svc-recipes-2' : 'svc-recipes-1',
      n: 1,
      recipes: [{ id: recipeId(recipe), ...recipe }],
      ...(input.equality === undefined ? {} : { equality: toJsonObject(input.equality) }),
    }),
  )
  if ('weights' in input.recipe) members.set('weights.bin', input.recipe.weights)
  if ('leafWeights' in input.recipe) {
    for (const [name, bytes] of input.recipe.leafWeights) if (isLeafMember(name)) members.set(name, bytes)
  }
  if (input.recipe.kind === 'lora') {
    members.set('adapter_config.json', input.recipe.adapter.config)
    members.set('adapter_model.safetensors', input.recipe.adapter.weights)
  }
  members.set('verifier.json', encodeJson(toJsonObject(input.verifier)))
  members.set('evals.json', encodeJson(toJsonObject(input.evals)))
  if (input.rows !== undefined && input.rows !== null) {
    members.set('rows.json', encodeJson(toJsonObject(input.rows)))
  }
  if (input.certificate) members.set('certificate.json', encodeJson(toJsonObject(input.certificate)))
  members.set('capability.json', encodeJson(capabilityBlock({ modalities: ['text'], runtimes: [RUNTIME_VERSION] })))
  return openContent(members)
}

/**
 * Reads stored content members and checks the form of each. Throws `invalid_archive` when one is missing, malformed, or
 * not the file that the recipe names. `verifyArchive` checks that their statements are true.
 */
export function openContent(members: ReadonlyMap<ContentMember, Uint8Array>): ContentMembers {
  const hashes: Record<string, Sha256> = {}
  for (const name of CONTENT_MEMBERS) {
    const bytes = members.get(name)
    if (bytes !== undefined) hashes[name] = sha256(bytes)
    else if (!OPTIONAL_MEMBERS.includes(name)) throw refuse('missing_member', { member: name })
  }
  for (const [name, bytes] of members) if (isLeafMember(name)) hashes[name] = sha256(bytes)
  const recipes = parseDocument(RecipesDocument, readJson(members, 'recipes.json'), 'recipes.json')
  const recipe = recipes.recipes[0]
  checkRecipe(recipe, members, hashes)
  const verifier = parseDocument(VerifierDocument, readJson(members, 'verifier.json'), 'verifier.json')
  const evals = parseDocument(EvalsDocument, readJson(members, 'evals.json'), 'evals.json')
  const rows = members.has('rows.json')
    ? parseDocument(RowsDocument, readJson(members, 'rows.json'), 'rows.json')
    : null
  const certificate = members.has('certificate.json')
    ? parseDocument(CertificateDocument, readJson(members, 'certificate.json'), 'certificate.json')
    : null
  const capability = parseDocument(CapabilityDocument, readJson(members, 'capability.json'), 'capability.json')
  checkCapability(capability)
  const { equality = null } = recipes
  return { members, hashes, cid: computeCid(hashes), recipe, equality, verifier, evals, rows, certificate, capability }
}

/** Content members as one blob, for keeping them between the stages of a compile. Deterministic. */
export async function packContent(content: ContentMembers): Promise<Uint8Array> {
  return await writeZip([...content.members].map(([name, bytes]) => ({ name, bytes })))
}

/** The content members in a blob of `packContent`. Throws `invalid_archive`. */
export async function unpackContent(blob: Uint8Array): Promise<ContentMembers> {
  const members = new Map<ContentMember, Uint8Array>()
  for (const { name, bytes } of await readZip(blob)) {
    if (!isContentMember(name)) throw refuse('unknown_member', { member: name })
    members.set(name, bytes)
  }
  return openContent(members)
}

/** The id of a recipe: `rcp_` and 128 bits of the digest of its RFC 8785 form without the id. */
export function recipeId(recipe: JsonObject): string {
  return `rcp_${base32(createHash('sha256').update(canonicalJson(recipe)).digest().subarray(0, 16))}`
}

function readJson(members: ReadonlyMap<ContentMember, Uint8Array>, name: ContentMember): JsonObject {
  const bytes = members.get(name)
  if (bytes === undefined) throw refuse('missing_member', { member: name })
  return decodeJson(bytes, name)
}

function recipeBody(source: RecipeSource): JsonObject {
  if (source.kind === 'program') return { kind: source.kind, program: source.recipe }
  if (source.kind === 'composite') return { kind: source.kind, composite: source.recipe }
  if (source.kind !== 'lora') {
    return { kind: source.kind, [source.kind]: source.recipe, weights: memberFacts('weights.bin', source.weights) }
  }
  return {
    kind: source.kind,
    lora: toJsonObject(source.recipe),
    adapter: {
      config: memberFacts('adapter_config.json', source.adapter.config),
      weights: memberFacts('adapter_model.safetensors', source.adapter.weights),
    },
  }
}

function memberFacts(member: ContentMember, bytes: Uint8Array): JsonObject {
  return { member, sha256: sha256(bytes), size_bytes: bytes.byteLength }
}

function checkRecipe(recipe: RecipeEntry, members: ContentMembers['members'], hashes: MemberHashes): void {
  const { id, ...body } = recipe
  if (id !== recipeId(body)) throw refuse('invalid_document', { member: 'recipes.json', note: 'id of another recipe' })
  const weights = 'weights' in recipe ? recipe.weights : undefined
  const adapter = recipe.kind === 'lora' ? recipe.adapter : undefined
  const stated = {
    'weights.bin': weights,
    'adapter_config.json': adapter?.config,
    'adapter_model.safetensors': adapter?.weights,
  } as const
  for (const member of ['weights.bin', 'adapter_config.json', 'adapter_model.safetensors'] as const) {
    const { sha256: digest, size_bytes: sizeBytes } = stated[member] ?? {}
    if (digest === hashes[member] && sizeBytes === members.get(member)?.byteLength) continue
    throw refuse('invalid_document', { member, note: 'not what the recipe names' })
  }
  checkLeafWeights(recipe, members, hashes)
}

/** The weights of leaves are those which the leaves name, and no other. */
function checkLeafWeights(recipe: RecipeEntry, members: ContentMembers['members'], hashes: MemberHashes): void {
  const named = new Map(leafWeightsOf(recipe).map((facts) => [facts.member, facts]))
  for (const member of new Set([...named.keys(), ...[...members.keys()].filter(isLeafMember)])) {
    const facts = named.get(member)
    const size = isLeafMember(member) ? members.get(member)?.byteLength : undefined
    if (facts !== undefined && facts.sha256 === hashes[member] && facts.size_bytes === size) continue
    throw refuse('invalid_document', { member, note: 'not what the recipe names' })
  }
}

function leafWeightsOf(recipe: RecipeEntry) {
  if (recipe.kind !== 'composite') return []
  try {
    return parseComposite(recipe.composite).leaves.flatMap(({ weights }) => weights ?? [])
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw refuse('invalid_document', { member: 'recipes.json', note: error.message, cause: error })
  }
}

function checkCapability({ hash, ...needs }: CapabilityDocument): void {
  if (hash !== capabilityHash(needs)) {
    throw refuse('invalid_document', { member: 'capability.json', note: 'hash of another block' })
  }
}
