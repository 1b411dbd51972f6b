import { parseDag } from '../../../ledger/dag/dag.ts'
import type { TrustedKeys } from '../../../ledger/keys/jwk.ts'
import { checkDocument, type Ed25519Block } from '../../../ledger/keys/sealed-document.ts'
import { checkChain, specHash } from '../../../ledger/receipts/chain.ts'
import { receiptId } from '../../../ledger/receipts/build-receipt.ts'
import { canonicalJson, hashJson, sha256, type JsonObject } from '../../../kernel/json/json.ts'
import { artifactHash, chainSubjects, hashArtifact } from '../binding.ts'
import { openContent, type ContentMembers } from '../members/content.ts'
import { baseNameOf, evidenceOf } from '../evidence.ts'
import { isContentMember, isListedMember, type ContentMember } from '../members/members.ts'
import { decodeJson, parseDocument } from '../members/members-json.ts'
import { TrainingDocument } from '../schemas/training.ts'
import type { UnpackedArchive } from '../unpack.ts'
import { demand } from './demand.ts'
import { manifestContradictions } from './manifest-facts.ts'

/** signature.sig states the size and digest of everything before it. */
export function checkContainer({ container, signature }: UnpackedArchive): string {
  demand(container.sizeBytes === signature.container.size_bytes, 'the archive has another length than was signed')
  demand(container.hash === signature.container.sha256, 'the bytes of the archive are not the ones that were signed')
  return `${container.sizeBytes} bytes as signed`
}

/** Checks that the manifest's table lists every member with its digest and size, and no other. */
export function checkMembers({ members, manifest }: UnpackedArchive): string {
  const table = manifest.members
  for (const name of Object.keys(table)) {
    demand(isListedMember(name) && members.has(name), `${name} is listed but missing`)
  }
  let listed = 0
  for (const [name, bytes] of members) {
    if (!isListedMember(name)) continue
    const line = table[name]
    demand(line !== undefined && Object.hasOwn(table, name), `${name} is not listed in the manifest`)
    demand(line.sha256 === sha256(bytes), `${name} is not the member that was signed`)
    demand(line.size_bytes === bytes.byteLength, `${name} has another size than listed`)
    listed++
  }
  return `${listed} members re-hashed`
}

/** Checks that signature.sig is over this manifest. */
export function checkManifestHash({ members, signature }: UnpackedArchive): string {
  const hash = sha256(members.get('manifest.json') ?? new Uint8Array())
  demand(hash === signature.manifest_hash, 'the manifest is not the one that was signed')
  return hash
}

/** The content members are well formed and fit one another. */
export function checkContent({ members }: UnpackedArchive): ContentMembers {
  const content = new Map<ContentMember, Uint8Array>()
  for (const [name, bytes] of members) if (isContentMember(name)) content.set(name, bytes)
  return openContent(content)
}

/** Checks that the CID follows from the content members and is the same in every document. */
export function checkCid(archive: UnpackedArchive, content: ContentMembers): string {
  const { manifest, signature, receipt } = archive
  demand(
    canonicalJson(manifest.hashes) === canonicalJson(content.hashes),
    'manifest.hashes are not those of the content',
  )
  for (const cid of [manifest.cid, signature.cid, receipt.cid]) {
    demand(cid === content.cid, `the content has the CID ${content.cid}, not ${cid}`)
  }
  return content.cid
}

/** Checks that the artifact hash follows from the members it covers and is the same in every document. */
export function checkArtifactHash({ members, manifest, signature, receipt }: UnpackedArchive): string {
  const computed = artifactHash(hashArtifact(members))
  for (const claimed of [manifest.artifact_hash, signature.artifact_hash, receipt.artifact_hash]) {
    demand(claimed === computed, `the members have the artifact hash ${computed}, not ${claimed}`)
  }
  return computed
}

/** The receipt's chain holds together, starts at this build's specification and worked on these members. */
export function checkReceiptChain(archive: UnpackedArchive, content: ContentMembers): string {
  const { members, receipt, build } = archive
  const broken = checkChain(receipt.chain, receipt.artifact_hash)
  demand(broken.length === 0, broken.join(', '))
  demand(receipt.receipt_id === receiptId(receipt.job_id, receipt.artifact_hash), 'the receipt id is of another build')
  const spec = { task: build.task, base_model: build.base_model, k_score_floor: build.k_score_floor }
  demand(receipt.chain[0]?.input_hash === specHash(spec), 'the chain starts from another specification')
  const subjects = chainSubjects(hashArtifact(members), build, content.evals.eval_set_hash)
  for (const link of receipt.chain) {
    const same = canonicalJson(link.subject) === canonicalJson(subjects[link.step])
    demand(same, `the ${link.step} step worked on other members`)
  }
  return `${receipt.chain.length} steps from the task to the artifact`
}

/** Checks that facts repeated in several documents agree. */
export function checkFields(archive: UnpackedArchive, content: ContentMembers): string {
  const { manifest, signature, receipt, build, members } = archive
  const { recipe, evals, capability, verifier } = content
  const contradictions = manifestContradictions(manifest)
  demand(contradictions.length === 0, `manifest.json: ${contradictions.join('; ')}`)
  const claims: Record<string, readonly unknown[]> = {
    spec: [manifest.spec, verifier.spec === 'svc-verifier-1' ? 'svc-1' : 'svc-2'],
    job_id: [manifest.job_id, build.job_id, receipt.job_id, signature.job_id],
    k_score: [manifest.k_score, build.k_score, receipt.k_score, signature.k_score],
    k_score_floor: [manifest.k_score_floor, build.k_score_floor],
    accepted: [hashJson(manifest.accepted ?? null), hashJson(build.accepted ?? null)],
    task: [manifest.task, build.task],
    base_model: [manifest.base_model, build.base_model, baseNameOf(content)],
    created_at: [manifest.created_at, build.created_at],
    runtime_version: [
      manifest.runtime.version,
      receipt.runtime_version,
      build.toolchain.runtime,
      ...capability.runtimes,
    ],
    eval_set_hash: [manifest.eval_set_hash, receipt.eval_set_hash, signature.eval_set_hash, evals.eval_set_hash],
    artifact_class: [manifest.artifact_class, manifest.entry.kind, build.recipe_kind, recipe.kind],
    recipe_id: [manifest.entry.recipe_id, recipe.id],
    recipes_hash: [manifest.entry.sha256, content.hashes['recipes.json']],
    key_id: [receipt.key_id, signature.key_id],
    issued_at: [receipt.signed_at, signature.issued_at],
    kid: [receipt.signature_ed25519.kid, signature.signature_ed25519.kid],
    base: [hashJson(build.base ?? null), hashJson(recipe.kind === 'lora' ? recipe.lora.base : null)],
  }
  for (const [field, values] of Object.entries(claims)) {
    demand(
      values.every((value) => value === values[0]),
      `members disagree about ${field}`,
    )
  }
  for (const member of ['training.json', 'training.svg'] as const) {
    demand(members.has(member) === (recipe.kind === 'lora'), `${member} is for adapters, and every adapter has it`)
  }
  return `${Object.keys(claims).length} facts agree`
}

/** Checks the training of an adapter: on the base of the recipe and the train rows of the split. */
export function checkTraining({ build, members }: UnpackedArchive, { recipe }: ContentMembers): string {
  const bytes = members.get('training.json')
  if (recipe.kind !== 'lora' || bytes === undefined) return 'nothing was trained on a base'
  const training = parseDocument(TrainingDocument, decodeJson(bytes, 'training.json'), 'training.json')
  demand(hashJson(training.base) === hashJson(recipe.lora.base), 'training.json: the adapter is on another base')
  const { train_hash: hash } = build.seed_provenance
  demand(training.data.train_hash === hash, 'training.json: the train rows are not those of the split')
  const { seed = training.seed } = training.hyperparameters
  demand(training.seed === seed, 'training.json: seed is not that of the hyperparameters')
  const fit = build.stages.find(({ stage }) => stage === 'lora-fit')
  const tokens = fit?.training_tokens
  demand(tokens === training.useful_tokens, `training.json: the stage trained on ${tokens} tokens`)
  return `trained by ${training.trainer} on ${training.base.name}`
}

/** The evidence graph is the one that the other members give. */
export function checkEvidence(
  { build, members, manifest, signature }: UnpackedArchive,
  content: ContentMembers,
): string {
  const stated = parseDag(decodeJson(members.get('evidence.json') ?? new Uint8Array(), 'evidence.json'))
  const given = evidenceOf({
    content,
    build,
    training: members.get('training.json'),
    runtimeVersion: manifest.runtime.version,
    signer: { kid: signature.signature_ed25519.kid, issuedAt: signature.issued_at },
  })
  const known = new Map(given.nodes.map((node) => [node.id, canonicalJson(node)]))
  const strange = stated.nodes.find((node) => known.get(node.id) !== canonicalJson(node))
  demand(strange === undefined, `evidence.json: the node ${strange?.id} is not what the members give`)
  demand(canonicalJson(stated) === canonicalJson(given), 'evidence.json: nodes or edges are not those of the members')
  return `evidence graph of ${stated.nodes.length} nodes`
}

/** Checks the Ed25519 signature of one document. */
export function checkSignature(
  document: JsonObject & { readonly signature_ed25519: Ed25519Block },
  trusted: TrustedKeys | undefined,
): string {
  const { kid } = document.signature_ed25519
  const found = checkDocument(document, trusted)
  demand(found !== 'invalid', 'the Ed25519 signature is not one of this document')
  demand(found !== 'untrusted', `signed by ${kid}, which is not a trusted key`)
  return `Ed25519 by ${kid}`
}
