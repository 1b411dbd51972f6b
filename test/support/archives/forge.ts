import { z } from 'zod'
import { artifactHash, chainSubjects, hashArtifact } from '../../../core/compile/archive/binding.ts'
import { capabilityHash } from '../../../core/compile/archive/capability.ts'
import { computeCid } from '../../../core/compile/archive/cid.ts'
import { recipeId } from '../../../core/compile/archive/members/content.ts'
import { hashEvalCases, hashEvalResults } from '../../../core/compile/archive/evals.ts'
import { inMemberOrder, isListedMember, isMemberName, roleOf } from '../../../core/compile/archive/members/members.ts'
import { encodeJson, toJsonObject } from '../../../core/compile/archive/members/members-json.ts'
import { isLeafMember } from '../../../core/compile/runtime/composite/places.ts'
import { BuildDocument } from '../../../core/compile/archive/schemas/build.ts'
import { evidenceOf } from '../../../core/compile/archive/evidence.ts'
import { openContent } from '../../../core/compile/archive/members/content.ts'
import { EvalEntry, FoldedEvalEntry } from '../../../core/compile/archive/members/documents.ts'
import { isContentMember } from '../../../core/compile/archive/members/members.ts'
import { VerifierDocument } from '../../../core/compile/archive/schemas/verifier.ts'
import { readZip } from '../../../core/compile/archive/zip/read.ts'
import { END_RECORD_BYTES } from '../../../core/compile/archive/zip/layout.ts'
import { writeZip, type ZipMember } from '../../../core/compile/archive/zip/write.ts'
import { verifierFigures } from '../../../core/compile/stages/verifier/verifier-figures.ts'
import { computeEarlierKScore } from '../../../core/compile/stages/scoring/k-score-1.ts'
import { computeKScore, describeKScore } from '../../../core/compile/stages/scoring/k-score.ts'
import type { Evaluation } from '../../../core/compile/stages/scoring/score-types.ts'
import { Figure } from '../../../core/kernel/wire/figure.ts'
import { intervalAt } from '../../../core/compile/stages/scoring/fold-interval.ts'
import { signDocument } from '../../../core/ledger/keys/sealed-document.ts'
import { macText, type MacKey } from '../../../core/kernel/json/mac.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { signBuildReceipt } from '../../../core/ledger/receipts/build-receipt.ts'
import {
  canonicalJson,
  hashJson,
  isJsonObject,
  sha256,
  type Json,
  type JsonObject,
} from '../../../core/kernel/json/json.ts'
import { fixedSigningKey, MAC_KEY } from './archives.ts'

/** The members of an archive by name. */
export type Members = ReadonlyMap<string, Uint8Array>

/** A change of one document; what it returns takes the document's place. */
export type Change = (document: JsonObject) => JsonObject

/** The changes of a forger, document by document, and the parts that are made to agree with them. */
export interface Forgery {
  readonly changes: Readonly<Record<string, Change>>
  /**
   * Also fills in every digest that a document states of itself or of its neighbours, as an attacker would who knows
   * the format: recipe id, hashes of rows, verifier, capability, leakage report, and the evidence graph.
   */
  readonly isThorough: boolean
}

/** The signer of forgeries: the key whose JWKS the tests pin, so that no signature is wrong. */
export interface Forger {
  readonly signer: SigningKey
  readonly macKey: MacKey
}

const FORGER: Forger = { signer: fixedSigningKey(), macKey: MAC_KEY }

/** Documents that sealing makes from others; a change of one is applied after it was made. */
const SEALED = ['evidence.json', 'receipt.json', 'manifest.json', 'signature.sig']

/** The members of an archive, to be forged. */
export async function openMembers(archive: Uint8Array): Promise<Members> {
  return new Map((await readZip(archive)).map(({ name, bytes }) => [name, bytes]))
}

const parsed = new WeakMap<Uint8Array, JsonObject>()

/** A member that is a JSON document. Read once for the same bytes: a thousand forgeries share most members. */
export function documentOf(members: Members, name: string): JsonObject {
  const bytes = members.get(name)
  const known = bytes === undefined ? undefined : parsed.get(bytes)
  if (known !== undefined) return known
  const value: Json = JSON.parse(new TextDecoder().decode(bytes))
  if (!isJsonObject(value)) throw new TypeError(`${name} is no object`)
  if (bytes !== undefined) parsed.set(bytes, value)
  return value
}

/**
 * Changes documents of an archive and seals it again, so that every digest over members, the CID, the artifact hash, the
 * chain, the manifest's table, both seals and the container are right: only the meaning is wrong.
 */
export async function forge(
  archive: Members,
  forgery: Forgery,
  { signer, macKey }: Forger = FORGER,
): Promise<Uint8Array> {
  const { changes, isThorough } = forgery
  const members = new Map(archive)
  const put = (name: string, document: JsonObject): void => void members.set(name, encodeJson(document))
  const apply = (name: string, document: JsonObject): JsonObject => changes[name]?.(document) ?? document
  for (const name of Object.keys(changes)) if (!SEALED.includes(name)) put(name, apply(name, documentOf(members, name)))
  if (isThorough) completeDigests(members)

  const signature = documentOf(archive, 'signature.sig')
  const manifest = documentOf(archive, 'manifest.json')
  const build = documentOf(members, 'build.json')
  const issuedAt = new Date(z.string().parse(signature['issued_at']))
  const evidence = isThorough ? remakeEvidence(members, signer.kid, issuedAt) : null
  put('evidence.json', apply('evidence.json', evidence ?? documentOf(members, 'evidence.json')))

  const hashes = hashArtifact(members)
  const content = Object.fromEntries(
    [...members].flatMap(([name, bytes]) => (isContentMember(name) ? [[name, sha256(bytes)]] : [])),
  )
  const artifact = artifactHash(hashes)
  const evals = documentOf(members, 'evals.json')
  const seen = Build.parse(build)
  const facts = {
    cid: computeCid(content),
    artifact_hash: artifact,
    eval_set_hash: z.templateLiteral(['sha256:', z.string()]).parse(evals['eval_set_hash']),
  }
  const receipt = signBuildReceipt(
    {
      jobId: seen.job_id,
      cid: facts.cid,
      artifactHash: artifact,
      evalSetHash: facts.eval_set_hash,
      kScore: seen.k_score,
      runtimeVersion: runtimeOf(build, manifest),
      spec: seen,
      // Only digests of the documents are taken: their form does not matter here.
      subjects: chainSubjects(hashes, { task: seen.task, seed_provenance: seen.seed_provenance }, facts.eval_set_hash),
      issuedAt,
    },
    macKey,
    signer,
  )
  put('receipt.json', reseal(toJsonObject(receipt), changes['receipt.json'], signer))

  const listed = [...members.keys()].filter(isListedMember)
  const table = Object.fromEntries(
    listed.map((name) => {
      const bytes = members.get(name) ?? new Uint8Array()
      return [name, { sha256: sha256(bytes), size_bytes: bytes.byteLength, role: roleOf(name) }]
    }),
  )
  const entry = isJsonObject(manifest['entry']) ? manifest['entry'] : {}
  const recipe = recipeOf(members)
  put(
    'manifest.json',
    apply('manifest.json', {
      ...manifest,
      ...facts,
      ...pick(build, ['job_id', 'task', 'base_model', 'k_score', 'k_score_floor', 'created_at']),
      artifact_class: recipe['kind'] ?? null,
      runtime: { target: 'svc', version: runtimeOf(build, manifest) },
      entry: {
        ...entry,
        recipe_id: recipe['id'] ?? null,
        kind: recipe['kind'] ?? null,
        sha256: content['recipes.json'] ?? null,
      },
      hashes: content,
      members: table,
    }),
  )
  const unsigned = inMemberOrder([...members.keys()].filter(isMemberName)).flatMap((name): ZipMember[] => {
    const bytes = members.get(name)
    // Deflating a thousand forgeries would take longer than verifying them.
    return bytes === undefined || name === 'signature.sig' ? [] : [{ name, bytes, stored: true }]
  })
  const zip = await writeZip(unsigned)
  const size = zip.readUInt32LE(zip.length - END_RECORD_BYTES + 16)
  const { hmac: _hmac, signature_ed25519: _block, ...old } = signature
  const body = {
    ...old,
    ...facts,
    ...pick(build, ['job_id', 'k_score']),
    key_id: macKey.keyId,
    manifest_hash: sha256(members.get('manifest.json') ?? new Uint8Array()),
    container: { size_bytes: size, sha256: sha256(zip.subarray(0, size)) },
  }
  const signed = toJsonObject(signDocument({ ...body, hmac: macText(canonicalJson(body), macKey.secret) }, signer))
  const bytes = encodeJson(reseal(signed, changes['signature.sig'], signer))
  return await writeZip([...unsigned, { name: 'signature.sig', bytes, stored: true }])
}

const Build = z.object({
  job_id: z.string(),
  task: z.string(),
  base_model: z.string(),
  k_score: z.number(),
  k_score_floor: z.number(),
  seed_provenance: z.custom<JsonObject>(),
})

/** A change of a signed document is signed again, unless it is the signature that was changed. */
function reseal(document: JsonObject, change: Change | undefined, signer: SigningKey): JsonObject {
  if (change === undefined) return document
  const changed = change(document)
  const { signature_ed25519: block, ...body } = changed
  if (canonicalJson(block ?? null) !== canonicalJson(document['signature_ed25519'] ?? null)) return changed
  return toJsonObject(signDocument(body, signer))
}

/** Brings every digest that is stated inside the documents in line with what they now hold. */
function completeDigests(members: Map<string, Uint8Array>): void {
  const put = (name: string, document: JsonObject): void => void members.set(name, encodeJson(document))
  const { id: _id, ...recipe } = recipeOf(members)
  put('recipes.json', { ...documentOf(members, 'recipes.json'), recipes: [{ id: recipeId(recipe), ...recipe }] })
  const { hash: _verifierHash, ...verifier } = documentOf(members, 'verifier.json')
  const figured = withFigures(verifier)
  put('verifier.json', { ...figured, hash: hashJson(figured) })
  const { hash: _capabilityHash, ...capability } = documentOf(members, 'capability.json')
  const evals = documentOf(members, 'evals.json')
  const rows = z.array(z.union([FoldedEvalEntry, EvalEntry])).safeParse(evals['rows'])
  const isWhole = rows.success && rows.data.length === evals['n']
  const hashed = isWhole
    ? { ...evals, eval_set_hash: hashEvalCases(rows.data), results_hash: hashEvalResults(rows.data) }
    : evals
  put('evals.json', hashed)
  const build = documentOf(members, 'build.json')
  const seeds = build['seed_provenance']
  if (!isJsonObject(seeds)) return
  const evalSet = hashed['eval_set_hash'] ?? null
  const isInTurn = seeds['split_mode'] === 'leave_one_out' || seeds['split_mode'] === 'cross_fit'
  const leakage = seeds['leakage_report']
  const winner = winnerFacts(members)
  const samples = Array.isArray(build['samples']) ? build['samples'] : []
  const { toolchain } = build
  put('capability.json', withRuntime(capability, isJsonObject(toolchain) ? toolchain['runtime'] : undefined))
  put('build.json', {
    ...build,
    samples: samples.map((sample: Json): Json => {
      const isOwn = isJsonObject(sample) && sample['kind'] === recipe['kind'] && isWinner(sample)
      return isOwn ? { ...sample, ...winner } : sample
    }),
    k_score_envelope: envelopeOf(build, hashed, winner.size_bytes),
    seed_provenance: {
      ...seeds,
      holdout_hash: evalSet,
      ...(isInTurn ? { seeds_hash: evalSet, train_hash: evalSet } : {}),
      synthesis_input_hash: isInTurn ? evalSet : (seeds['train_hash'] ?? null),
      ...(leakage === undefined ? {} : { leakage_report_hash: hashJson(leakage) }),
    },
  })
}

function withRuntime(capability: JsonObject, runtime: Json | undefined): JsonObject {
  const block = { ...capability, ...(runtime === undefined ? {} : { runtimes: [runtime] }) }
  return { ...block, hash: capabilityHash(block) }
}

function isWinner(sample: JsonObject): boolean {
  const { verdict } = sample
  return isJsonObject(verdict) && verdict['chosen'] === 'winner'
}

/** Digest and size of the recipe as a sample states them. */
function winnerFacts(members: Members): { readonly recipe_hash: string; readonly size_bytes: number } {
  const bytes = (name: string): Uint8Array => members.get(name) ?? new Uint8Array()
  const recipe = recipeOf(members)
  const { kind } = recipe
  const body = (typeof kind === 'string' ? recipe[kind] : undefined) ?? null
  const ownBytes = Buffer.byteLength(canonicalJson(body))
  if (recipe['kind'] === 'program') return { recipe_hash: hashJson(body), size_bytes: ownBytes }
  if (recipe['kind'] === 'composite') {
    const weights = [...members].reduce((sum, [name, { length }]) => sum + (isLeafMember(name) ? length : 0), 0)
    return { recipe_hash: hashJson(body), size_bytes: ownBytes + weights }
  }
  const weights = bytes(recipe['kind'] === 'lora' ? 'adapter_model.safetensors' : 'weights.bin')
  const hash = hashJson({ recipe: hashJson(body), weights: sha256(weights) })
  return { recipe_hash: hash, size_bytes: ownBytes + weights.length + bytes('adapter_config.json').length }
}

/** The envelope as the formula gives it from what evals.json and the envelope itself now state. */
function envelopeOf(build: JsonObject, evals: JsonObject, sizeBytes: number): Json {
  const stated = build['k_score_envelope']
  const numbers = z.object({ n: z.number().positive(), correct: z.number(), abstained: z.number() }).safeParse(evals)
  if (!numbers.success) return stated ?? null
  const { n, correct, abstained } = numbers.data
  const given = rescore(
    stated,
    { coverage: (n - abstained) / n, n, correct },
    { sizeBytes, floor: Number(build['k_score_floor']) },
  )
  if (given === null) return stated ?? null
  const { composite: _composite, ...rest } = given
  // The composite stays as it was stated: who forges wants another one than the formula gives.
  return toJsonObject({ ...rest, composite: isJsonObject(stated) ? (stated['composite'] ?? 0) : 0 })
}

const Earlier = z.object({ p50_latency_us: z.number(), cost_usd_per_call: z.number() })
const Latency = z.object({ p50_latency_us: Figure })
/** The number of rows that a stated interval rests on. */
const IntervalRows = z.object({ interval: z.object({ low: z.object({ n: z.number().positive() }) }) })

/** The K-score of measurements by the formula of a stated envelope, with its latency; null for one out of form. */
export function rescore(
  stated: Json | undefined,
  { coverage, n, correct }: Pick<Evaluation, 'coverage' | 'n' | 'correct'>,
  facts: { readonly sizeBytes: number; readonly floor: number },
): JsonObject | null {
  const intervalRows = IntervalRows.safeParse(stated).data?.interval.low.n ?? n
  const interval = intervalAt(correct, n, intervalRows)
  const measurements = { accuracy: correct / n, coverage, n, interval, intervalRows }
  const earlier = Earlier.safeParse(stated)
  if (earlier.success) {
    const { p50_latency_us: p50LatencyUs, cost_usd_per_call: costUsdPerCall } = earlier.data
    return toJsonObject(computeEarlierKScore(measurements, { ...facts, p50LatencyUs, costUsdPerCall }))
  }
  const { data } = Latency.safeParse(stated)
  if (data === undefined) return null
  const { p50_latency_us: timed } = data
  const latency = timed.basis === 'measured' ? { p50_us: timed.value, calls: timed.n } : { p50_us: 0, calls: 0 }
  return toJsonObject(describeKScore(computeKScore({ ...measurements, latency }, facts)))
}

function remakeEvidence(members: Members, kid: string, issuedAt: Date): JsonObject | null {
  const build = BuildDocument.safeParse(documentOf(members, 'build.json'))
  if (!build.success) return null
  try {
    const content = openContent(
      new Map([...members].flatMap(([name, bytes]) => (isContentMember(name) ? [[name, bytes]] : []))),
    )
    const { runtime } = build.data.toolchain
    const signer = { kid, issuedAt: issuedAt.toISOString() }
    const training = members.get('training.json')
    return toJsonObject(evidenceOf({ content, build: build.data, training, runtimeVersion: runtime, signer }))
  } catch {
    // A document that is not in its form has no graph; the old one stays.
    return null
  }
}

function recipeOf(members: Members): JsonObject {
  const { recipes } = documentOf(members, 'recipes.json')
  const [recipe] = Array.isArray(recipes) ? recipes : []
  return isJsonObject(recipe) ? recipe : {}
}

function runtimeOf(build: JsonObject, manifest: JsonObject): string {
  const { toolchain } = build
  const stated = isJsonObject(toolchain) ? toolchain['runtime'] : undefined
  const { runtime } = manifest
  const version = stated ?? (isJsonObject(runtime) ? runtime['version'] : undefined)
  return typeof version === 'string' ? version : ''
}

function pick(document: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (document[name] === undefined ? [] : [[name, document[name]]])))
}

/** The verifier with the figures that its counts give, where it has figures. */
function withFigures(verifier: JsonObject): JsonObject {
  const parsed = VerifierDocument.safeParse({ ...verifier, hash: hashJson(verifier) })
  if (!parsed.success || parsed.data.spec === 'svc-verifier-1' || parsed.data.figures === undefined) return verifier
  return { ...verifier, figures: toJsonObject(verifierFigures(parsed.data)) }
}
