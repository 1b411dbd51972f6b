import { EvalsDocument } from '../../../../core/compile/archive/members/documents.ts'
import { decodeJson, parseDocument, toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import type { Acceptance } from '../../../../core/compile/archive/schemas/acceptance.ts'
import { unpackArchive, type UnpackedArchive } from '../../../../core/compile/archive/unpack.ts'
import type { Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { parseDag } from '../../../../core/ledger/dag/dag.ts'
import { sha256 } from '../../../../core/kernel/json/json.ts'
import type { FinishReadyInput } from '../../../../db/compile/jobs/finish/finish-ready.ts'

/** An archive made here, as it was read out of its bytes. */
export interface ReadArchive extends Pick<UnpackedArchive, 'members' | 'manifest' | 'build' | 'signature' | 'receipt'> {
  readonly bytes: Uint8Array
  readonly evals: EvalsDocument
}

/** Reads the bytes of an archive made here. Throws `invalid_archive`. */
export async function readArchive(bytes: Uint8Array): Promise<ReadArchive> {
  const unpacked = await unpackArchive(bytes)
  const evals = decodeJson(unpacked.members.get('evals.json') ?? new Uint8Array(), 'evals.json')
  return { ...unpacked, bytes, evals: parseDocument(EvalsDocument, evals, 'evals.json') }
}

/**
 * Returns the artifact, its acceptance and the evidence rows of an archive; only the description of how the score was
 * measured comes from the verdict. Throws `invalid_archive`.
 */
export function readyArtifact(
  { bytes, evals, manifest, build, signature, receipt, members }: ReadArchive,
  verdict: Pick<Verdict, 'kScore' | 'split'>,
): Pick<FinishReadyInput, 'artifact' | 'evidence'> & {
  readonly accepted: Acceptance | null
  readonly evals: EvalsDocument
} {
  const evidence = members.get('evidence.json')
  if (evidence === undefined) throw COMPILE_ERRORS.invalid_archive('the archive has no evidence.json')
  return {
    evals,
    accepted: manifest.accepted ?? null,
    artifact: {
      archiveSha256: sha256(bytes),
      sizeBytes: bytes.byteLength,
      cid: manifest.cid,
      parentCid: build.parent_cid ?? null,
      manifestHash: signature.manifest_hash,
      signature: signature.hmac,
      recipeKind: manifest.artifact_class,
      baseModel: manifest.base_model,
      evalSetHash: manifest.eval_set_hash,
      kScore: manifest.k_score,
      holdoutCount: verdict.kScore?.n ?? 0,
      kSource: verdict.split.mode,
      manifest: toJsonObject(manifest),
      receipt: toJsonObject(receipt),
      signedAt: new Date(signature.issued_at),
    },
    evidence: parseDag(decodeJson(evidence, 'evidence.json')),
  }
}
