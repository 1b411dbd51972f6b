import type { NamespaceSettings } from '../../../core/gateway/namespaces/settings.ts'
import type { OpenCall } from '../calls/open-call.ts'

/** A call that the gate let pass: the only kind that can be sent. */
export interface GatedCall extends OpenCall {
  readonly settings: NamespaceSettings
}

/** Lets a call pass, or throws what refuses it. */
export async function passGate(call: OpenCall): Promise<GatedCall> {
  const { services, facts } = call
  return { ...call, settings: await services.namespaces.read(facts.tenantId, facts.namespace) }
}
