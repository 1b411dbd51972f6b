import { CertificateView } from '../../../core/compile/archive/schemas/certificate.ts'
import { OnDoubtField, type OnDoubt } from '../../../core/compile/runtime/certificate/risk.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'

/** Members of a stored evaluation that say how a version answers in doubt; absent in evaluations of earlier versions. */
export function presentDoubt(evaluation: Json | null | undefined): {
  readonly certificate?: CertificateView
  readonly on_doubt?: OnDoubt
} {
  const document = evaluation ?? undefined
  if (!isJsonObject(document)) return {}
  const { verifier } = document
  const certificate = CertificateView.safeParse(document['certificate'])
  const onDoubt = OnDoubtField.safeParse(isJsonObject(verifier) ? verifier['on_doubt'] : undefined)
  return {
    ...(certificate.success && { certificate: certificate.data }),
    ...(onDoubt.success && { on_doubt: onDoubt.data }),
  }
}
