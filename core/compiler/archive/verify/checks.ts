import { parseDag } from '../../../evidence/dag/dag.ts'
import type { TrustedKeys } from '../../../evidence/keys/jwk.ts'
import { checkDocument, type Ed25519Block } from '../../../evidence/keys/sealed-document.ts'
import { checkChain, specHash } from '../../../evidence/receipts/chain.ts'
import { receiptId } from '../../../evidence/receipts/build-receipt.ts'
import { canonicalJson, hashJson, isJsonObject, sha256, type JsonObject } from '../../../json.ts'
import { ARTIFACT_MEMBERS, artifactHash, chainSubjects, hashMembers } from '../binding.ts'
import { openContent, type ContentMembers } from '../content.ts'
import { isContentMember, LISTED_MEMBERS, MEMBER_ROLES, type ContentMember } from '../members.ts'
import { decodeJson } from '../members-json.ts'
import type { UnpackedArchive } from '../unpack.ts'

/** A check that did not hold; the message says what was found. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
}

/** Fails with the message unless the claim holds. */
export function demand(claim: boolean, message: string): asserts claim {
  if (!claim) throw new CheckFailure(message)
}

/** signature.sig states the size and digest of everything before it. */
export function checkContainer({ container, signature }: UnpackedArchive): string {
  demand(container.sizeBytes === signature.container.size_bytes, 'the archive has another length than was signed')
  demand(container.hash === signature.container.sha256, 'the bytes of the archive are not the ones that were signed')
  return `${container.sizeBytes} bytes as signed`
}

/** Every member is in the manifest's table with its digest, size and role, and nothing else is. */
export function checkMembers({ members, manifest }: UnpackedArchive): string {
  const table = manifest.members
  for (const name of Object.keys(table)) {
    demand(
      LISTED_MEMBERS.some((known) => known === name && members.has(known)),
      `${name} is listed but missing`,
    )
  }
  let listed = 0
  for (const name of LISTED_MEMBERS) {
    const bytes = members.get(name)
    if (bytes === undefined) continue
    const line = table[name]
    demand(line !== undefined && Object.hasOwn(table, name), `${name} is not listed in the manifest`)
    demand(line.sha256 === sha256(bytes), `${name} is not the member that was signed`)
    demand(line.size_bytes === bytes.byteLength, `${name} has another size than listed`)
    demand(line.role === MEMBER_ROLES[name], `${name} has another role than listed`)
    listed++
  }
  return `${listed} members re-hashed`
}

/** signature.sig is over this manifest. */
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

/** The CID comes out of the content members, and is the same wherever it stands. */
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

/** The artifact hash comes out of the members it covers, and is the same wherever it stands. */
export function checkArtifactHash({ members, manifest, signature, receipt }: UnpackedArchive): string {
  const computed = artifactHash(hashMembers(members, ARTIFACT_MEMBERS))
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
  const subjects = chainSubjects(hashMembers(members, ARTIFACT_MEMBERS), build, content.evals.eval_set_hash)
  for (const link of receipt.chain) {
    const same = canonicalJson(link.subject) === canonicalJson(subjects[link.step])
    demand(same, `the ${link.step} step worked on other members`)
  }
  return `${receipt.chain.length} steps from the task to the artifact`
}

/** What several documents say of the same thing agrees. */
export function checkFields(archive: UnpackedArchive, content: ContentMembers): string {
  const { manifest, signature, receipt, build, members } = archive
  const { recipe, evals } = content
  const claims: Record<string, readonly unknown[]> = {
    job_id: [manifest.job_id, build.job_id, receipt.job_id, signature.job_id],
    k_score: [manifest.k_score, build.k_score, receipt.k_score, signature.k_score],
    k_score_floor: [manifest.k_score_floor, build.k_score_floor],
    task: [manifest.task, build.task],
    base_model: [manifest.base_model, build.base_model],
    created_at: [manifest.created_at, build.created_at],
    runtime_version: [manifest.runtime.version, receipt.runtime_version],
    eval_set_hash: [manifest.eval_set_hash, receipt.eval_set_hash, signature.eval_set_hash, evals.eval_set_hash],
    artifact_class: [manifest.artifact_class, manifest.entry.kind, recipe.kind],
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
  if (recipe.kind === 'lora') demand(build.base_model === recipe.lora.base.name, 'the adapter is on another base')
  for (const member of ['training.json', 'training.svg'] as const) {
    demand(members.has(member) === (recipe.kind === 'lora'), `${member} is for adapters, and every adapter has it`)
  }
  if (recipe.kind === 'lora') decodeJson(members.get('training.json') ?? new Uint8Array(), 'training.json')
  const evidence = parseDag(decodeJson(members.get('evidence.json') ?? new Uint8Array(), 'evidence.json'))
  demand(
    evidence.nodes.some(({ id }) => id === recipe.id),
    'the evidence graph is about another recipe',
  )
  return `${Object.keys(claims).length} facts agree, evidence graph of ${evidence.nodes.length} nodes`
}

/** The K-score reached the floor, and is the one its envelope states. */
export function checkGate({ build }: UnpackedArchive, content: ContentMembers): string {
  const { composite, accuracy } = build.k_score_envelope
  demand(composite === build.k_score, 'the K-score is not the one of its envelope')
  demand(build.k_score >= build.k_score_floor, `K ${build.k_score} is below the floor ${build.k_score_floor}`)
  const { n, correct } = content.evals
  if (typeof accuracy === 'number' && n > 0) {
    demand(
      Math.abs(accuracy - correct / n) < 1e-4,
      `the envelope states accuracy ${accuracy}, evals.json gives ${correct / n}`,
    )
  }
  return `K ${build.k_score}, floor ${build.k_score_floor}, ${correct} of ${n} evaluation rows right`
}

/** No row of the holdout was among the train rows. */
export function checkSplit({ build }: UnpackedArchive): string {
  const provenance: JsonObject = build.seed_provenance
  const report = provenance['leakage_report']
  const overlap = isJsonObject(report) ? report['input_overlap'] : undefined
  demand(typeof overlap === 'number', 'there is no leakage report')
  demand(overlap === 0, `${overlap} holdout rows were among the train rows`)
  return `no input on both sides, provenance ${hashJson(provenance)}`
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
