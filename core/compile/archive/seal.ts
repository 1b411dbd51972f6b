import type { UsedDataset } from '../wire/jobs/dataset.ts'
import { COMPILE_ERRORS } from '../errors.ts'
import type { EvidenceDag } from '../../ledger/dag/dag.ts'
import { macText, type Mac, type MacKey } from '../../kernel/json/mac.ts'
import { toJwk } from '../../ledger/keys/jwk.ts'
import { signDocument } from '../../ledger/keys/sealed-document.ts'
import type { SigningKey } from '../../ledger/keys/signing-key.ts'
import { signBuildReceipt, type BuildReceipt } from '../../ledger/receipts/build-receipt.ts'
import type { Figure } from '../../kernel/wire/figure.ts'
import { canonicalJson, sha256, type Json, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { LIBRARY_VERSION, RUNTIME_VERSION } from '../../kernel/version.ts'
import { describeKScore } from '../stages/scoring/k-score.ts'
import { describeSample } from '../stages/sample/describe-sample.ts'
import { describeStage } from '../stages/scoring/stage-figures.ts'
import type { SampleRecord, StageCost } from '../stages/stage-types.ts'
import type { KScoreEnvelope } from '../stages/scoring/score-types.ts'
import type { Split } from '../rows/split/split-report.ts'
import { artifactHash, chainSubjects, hashArtifact } from './binding.ts'
import type { Cid } from './cid.ts'
import type { ContentMembers } from './members/content.ts'
import { Manifest } from './members/documents.ts'
import { baseNameOf, evidenceOf } from './evidence.ts'
import { inMemberOrder, roleOf, type ListedMember } from './members/members.ts'
import { encodeJson, parseDocument, toJsonObject } from './members/members-json.ts'
import { asAccepted, type Acceptance } from './schemas/acceptance.ts'
import { BuildDocument } from './schemas/build.ts'
import type { CapturesDocument } from './schemas/captures.ts'
import { verifyArchive, type OpenedArchive } from './verify.ts'
import { END_RECORD_BYTES } from './zip/layout.ts'
import { writeZip, type ZipMember } from './zip/write.ts'

/** Facts of a build besides its content: the facts of build.json. */
export interface BuildFacts {
  readonly jobId: string
  readonly createdAt: Date
  readonly task: string
  /** The training of the adapter; null for recipes without one. */
  readonly training: TrainingMembers | null
  readonly kScoreFloor: number
  readonly kScore: KScoreEnvelope
  /** The acceptance of a K-score below the floor; null or absent where the score reaches it. */
  readonly accepted?: Acceptance | null
  /** Source and split of the rows. */
  readonly seedProvenance: Split['provenance']
  /** CID of the version before it; null or absent for the first of a concept. */
  readonly parentCid?: Cid | null
  /** The captures that were learned from; null or absent where none were. */
  readonly captures?: CapturesDocument | null
  /** The version of a dataset whose rows were compiled; absent for other rows. */
  readonly dataset?: UsedDataset | undefined
  /** Absent in builds without this record. */
  readonly undecided?: Figure | undefined
  /** Unlabelled inputs that took part in the search, if any. */
  readonly unlabelledInputs?: readonly Json[] | undefined
  /** Every sample that was recorded; the one that ships is the winner of its kind. */
  readonly samples: readonly SampleRecord[]
  /** The use of a frontier model, as plain data; absent in builds without this record. */
  readonly teacher?: object
  /** Result and cost of each stage. */
  readonly stages: readonly StageCost[]
  /** Settings of the search and the trainers, as plain data; null or absent where an older version sampled. */
  readonly sampling?: object | null
  /** Versions of the tools of the build, name to version; `svc` and `runtime` are added automatically. */
  readonly toolchain?: Readonly<Record<string, string>>
}

/** The training of an adapter: plain data, and the loss curve as an SVG picture. */
export interface TrainingMembers {
  readonly document: JsonObject
  readonly curve: string
}

/** Inputs of sealing an archive. */
export interface SealInput {
  readonly content: ContentMembers
  readonly build: BuildFacts
  readonly signer: SigningKey
  readonly macKey: MacKey
  readonly issuedAt: Date
}

/** A sealed archive and the facts stored beside it. */
export interface SealedArchive {
  readonly archive: Uint8Array
  readonly cid: Cid
  readonly manifest: Manifest
  readonly manifestHash: Sha256
  readonly artifactHash: Sha256
  readonly evalSetHash: Sha256
  /** The HMAC in signature.sig. */
  readonly signature: Mac
  readonly receipt: BuildReceipt
  readonly evidence: EvidenceDag
  /** The archive as its verification read it. */
  readonly opened: OpenedArchive
}

/**
 * Packs and signs an archive. The same input gives the same bytes, so a repeated stage makes the same archive. The
 * result has been verified with `verifyArchive`. Throws `k_score_below_floor` and `train_holdout_leakage` when it must
 * not be signed, and `compile_failed` when the result does not verify.
 */
export async function sealArchive(input: SealInput): Promise<SealedArchive> {
  const { content, build: facts, signer, macKey, issuedAt } = input
  refuseToSign(facts)
  const build = buildDocument(facts, content)
  const members = new Map<ListedMember, Uint8Array>(content.members)
  members.set('build.json', encodeJson(toJsonObject(build)))
  if (facts.training !== null) {
    members.set('training.json', encodeJson(facts.training.document))
    members.set('training.svg', new TextEncoder().encode(facts.training.curve))
  }
  const evidence = evidenceOf({
    content,
    build,
    training: members.get('training.json'),
    runtimeVersion: RUNTIME_VERSION,
    signer: { kid: signer.kid, issuedAt: issuedAt.toISOString() },
  })
  members.set('evidence.json', encodeJson(toJsonObject(evidence)))
  const hashes = hashArtifact(members)
  const artifact = artifactHash(hashes)
  const evalSetHash = content.evals.eval_set_hash
  const receipt = signBuildReceipt(
    {
      jobId: facts.jobId,
      cid: content.cid,
      artifactHash: artifact,
      evalSetHash,
      kScore: build.k_score,
      runtimeVersion: RUNTIME_VERSION,
      spec: { task: build.task, base_model: build.base_model, k_score_floor: build.k_score_floor },
      subjects: chainSubjects(hashes, build, evalSetHash),
      issuedAt,
    },
    macKey,
    signer,
  )
  members.set('receipt.json', encodeJson(toJsonObject(receipt)))
  const manifest = manifestDocument(content, build, artifact, members)
  const manifestBytes = encodeJson(toJsonObject(manifest))
  const manifestHash = sha256(manifestBytes)
  const unsigned = inOrder(manifestBytes, members)
  const body = {
    spec: 'svc-signature-1',
    job_id: facts.jobId,
    cid: content.cid,
    manifest_hash: manifestHash,
    artifact_hash: artifact,
    eval_set_hash: evalSetHash,
    k_score: build.k_score,
    container: containerFacts(await writeZip(unsigned)),
    key_id: macKey.keyId,
    issued_at: issuedAt.toISOString(),
  } as const
  const signature = macText(canonicalJson(body), macKey.secret)
  const signed = toJsonObject(signDocument({ ...body, hmac: signature }, signer))
  const archive = await writeZip([...unsigned, { name: 'signature.sig', bytes: encodeJson(signed), stored: true }])
  const check = await verifyArchive(archive, { trustedKeys: [toJwk(signer.publicKey)] })
  if (check.opened === undefined) {
    throw COMPILE_ERRORS.compile_failed(`sealed archive does not verify: ${check.detail ?? check.reason}`)
  }
  return {
    archive,
    cid: content.cid,
    manifest,
    manifestHash,
    artifactHash: artifact,
    evalSetHash,
    signature,
    receipt,
    evidence,
    opened: check.opened,
  }
}

function refuseToSign(facts: BuildFacts): void {
  if (facts.kScore.composite < facts.kScoreFloor && !facts.accepted) {
    throw COMPILE_ERRORS.k_score_below_floor('the K-score is below the floor: nothing is signed')
  }
  if (facts.seedProvenance.leakage_report.input_overlap > 0) {
    throw COMPILE_ERRORS.train_holdout_leakage('rows of the holdout were seen in training: nothing is signed')
  }
}

function buildDocument(facts: BuildFacts, content: ContentMembers): BuildDocument {
  const isEarlier = facts.kScore.spec === 'svc-k-score-1'
  const document = toJsonObject({
    spec: isEarlier ? 'svc-build-1' : 'svc-build-2',
    job_id: facts.jobId,
    created_at: facts.createdAt.toISOString(),
    task: facts.task,
    base_model: baseNameOf(content),
    ...(content.recipe.kind === 'lora' && { base: content.recipe.lora.base }),
    recipe_kind: content.recipe.kind,
    k_score: facts.kScore.composite,
    k_score_floor: facts.kScoreFloor,
    ...(facts.accepted && { accepted: facts.accepted }),
    k_score_envelope: describeKScore(facts.kScore),
    seed_provenance: asAccepted(facts.seedProvenance, facts.accepted),
    ...(facts.parentCid && { parent_cid: facts.parentCid }),
    ...(facts.captures && { captures: facts.captures }),
    ...(facts.dataset && { dataset: facts.dataset }),
    ...(facts.undecided === undefined ? {} : { undecided: facts.undecided }),
    ...(facts.unlabelledInputs === undefined ? {} : { unlabelled_inputs: facts.unlabelledInputs }),
    samples: isEarlier ? facts.samples : facts.samples.map(describeSample),
    ...(facts.teacher === undefined ? {} : { teacher: facts.teacher }),
    stages: isEarlier ? facts.stages : facts.stages.map(describeStage),
    ...(facts.sampling && { sampling: facts.sampling }),
    toolchain: { svc: LIBRARY_VERSION, runtime: RUNTIME_VERSION, ...facts.toolchain },
  })
  return parseDocument(BuildDocument, document, 'build.json')
}

function manifestDocument(
  content: ContentMembers,
  build: BuildDocument,
  artifact: Sha256,
  members: ReadonlyMap<ListedMember, Uint8Array>,
): Manifest {
  const { recipe } = content
  const document = toJsonObject({
    spec: content.verifier.spec === 'svc-verifier-1' ? 'svc-1' : 'svc-2',
    cid: content.cid,
    artifact_hash: artifact,
    eval_set_hash: content.evals.eval_set_hash,
    job_id: build.job_id,
    task: build.task,
    base_model: build.base_model,
    k_score: build.k_score,
    k_score_floor: build.k_score_floor,
    ...(build.accepted && { accepted: build.accepted }),
    artifact_class: recipe.kind,
    created_at: build.created_at,
    runtime: { target: 'svc', version: RUNTIME_VERSION },
    entry: { recipe_id: recipe.id, kind: recipe.kind, file: 'recipes.json', sha256: content.hashes['recipes.json'] },
    hashes: content.hashes,
    members: Object.fromEntries([...members].map(([name, bytes]) => [name, memberFacts(name, bytes)])),
  })
  return parseDocument(Manifest, document, 'manifest.json')
}

function memberFacts(name: ListedMember, bytes: Uint8Array): object {
  return { sha256: sha256(bytes), size_bytes: bytes.byteLength, role: roleOf(name) }
}

function inOrder(manifest: Uint8Array, members: ReadonlyMap<ListedMember, Uint8Array>): ZipMember[] {
  const listed = inMemberOrder(members.keys()).flatMap((name): ZipMember[] => {
    const bytes = members.get(name)
    return bytes === undefined ? [] : [{ name, bytes }]
  })
  return [{ name: 'manifest.json', bytes: manifest }, ...listed]
}

/** Returns size and digest of the zip before its directory: in the sealed archive, everything before signature.sig. */
function containerFacts(zip: Buffer): { size_bytes: number; sha256: Sha256 } {
  const sizeBytes = zip.readUInt32LE(zip.length - END_RECORD_BYTES + 16)
  return { size_bytes: sizeBytes, sha256: sha256(zip.subarray(0, sizeBytes)) }
}
