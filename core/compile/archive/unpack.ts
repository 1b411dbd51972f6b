import { sha256, type Sha256 } from '../../kernel/json/json.ts'
import { BuildReceipt } from '../../ledger/receipts/build-receipt.ts'
import { Manifest, SignatureDocument } from './members/documents.ts'
import { inMemberOrder, isMemberName, REQUIRED_MEMBERS, type MemberName } from './members/members.ts'
import { decodeJson, parseDocument } from './members/members-json.ts'
import { BuildDocument } from './schemas/build.ts'
import type { ArchiveLimits } from './zip/layout.ts'
import { readZip } from './zip/read.ts'
import { refuse } from './zip/refusal.ts'

/**
 * The members of an archive after checks of its zip only: the content is untrusted until `verifyArchive` accepts it.
 */
export interface UnpackedArchive {
  readonly members: ReadonlyMap<MemberName, Uint8Array>
  readonly manifest: Manifest
  readonly signature: SignatureDocument
  readonly receipt: BuildReceipt
  readonly build: BuildDocument
  /** Size and digest of the bytes before the local header of signature.sig, as they are. */
  readonly container: { readonly sizeBytes: number; readonly hash: Sha256 }
}

/** Reads the zip and the documents of an archive. Throws `invalid_archive` with `details.reason`. */
export async function unpackArchive(bytes: Uint8Array, limits?: ArchiveLimits): Promise<UnpackedArchive> {
  const entries = await readZip(bytes, limits)
  const members = new Map<MemberName, Uint8Array>()
  for (const { name, bytes: content } of entries) {
    if (!isMemberName(name)) throw refuse('unknown_member', { member: name })
    members.set(name, content)
  }
  for (const name of REQUIRED_MEMBERS) if (!members.has(name)) throw refuse('missing_member', { member: name })
  const order = inMemberOrder(members.keys())
  if (entries.some(({ name }, index) => name !== order[index])) throw refuse('member_order')
  const last = entries.at(-1)
  if (last === undefined || last.method !== 0) throw refuse('unsupported_method', { member: 'signature.sig' })
  const document = (name: MemberName) => decodeJson(members.get(name) ?? new Uint8Array(), name)
  return {
    members,
    manifest: parseDocument(Manifest, document('manifest.json'), 'manifest.json'),
    signature: parseDocument(SignatureDocument, document('signature.sig'), 'signature.sig'),
    receipt: parseDocument(BuildReceipt, document('receipt.json'), 'receipt.json'),
    build: parseDocument(BuildDocument, document('build.json'), 'build.json'),
    container: { sizeBytes: last.offset, hash: sha256(bytes.subarray(0, last.offset)) },
  }
}
