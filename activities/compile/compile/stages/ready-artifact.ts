import { EvalsDocument } from '../../../../core/compile/archive/members/documents.ts'
import { decodeJson, parseDocument, toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import type { Acceptance } from '../../../../core/compile/archive/schemas/acceptance.ts'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import type { Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { parseDag } from '../../../../core/ledger/dag/dag.ts'
import { sha256 } from '../../../../core/kernel/json/json.ts'
import type { FinishReadyInput } from '../../../../db/compile/jobs/finish/finish-ready.ts'

/**
 * Reads the artifact, its acceptance and the evidence rows out of the bytes of an archive made here; only the description of how the score
 * was measured comes from the verdict. Throws `invalid_archive`.
 */
export async function readyArtifact(
  archive: Uint8Array,
  verdict: Pick<Verdict, 'kScore' | 'split'>,
): Promise<
  Pick<FinishReadyInput, 'artifact' | 'evidence'> & {
    readonly accepted: Acceptance | null
    readonly evals: EvalsDocument
  }
> {
  const { manifest, build, signature, receipt, members } = await unpackArchive(archive)
  const evidence = members.get('evidence.json')
  if (evidence === undefined) throw COMPILE_ERRORS.invalid_archive('the archive has no evidence.json')
  const evals = members.get('evals.json') ?? new Uint8Array()
  return {
    evals: parseDocument(EvalsDocument, decodeJson(evals, 'evals.json'), 'evals.json'),
    accepted: manifest.accepted ?? null,
    artifact: {
      archiveSha256: sha256(archive),
      sizeBytes: archive.byteLength,
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
