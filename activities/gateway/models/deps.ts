import type { GatewayMode } from '../../../core/gateway/calls/providers.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import type { Upstream } from '../../../core/gateway/protocol/upstream/upstream.ts'
import type { KnownPrices } from '../../../core/gateway/providers/prices.ts'
import type { Provider } from '../../../core/gateway/providers/provider.ts'
import type { CallMeter } from '../../../db/billing/quota/call-meter.ts'
import type { Budgets } from '../../../db/gateway/budgets/budgets.ts'
import type { NamespaceReader } from '../../../db/gateway/namespaces/read-namespace.ts'
import type { ModelSources } from '../../../db/gateway/models/resolve-model.ts'
import type { ProviderRates } from '../../../db/gateway/providers/provider-rates.ts'

/** The operator's teacher, as it answers to its own name. */
export interface OperatorTeacher {
  readonly provider: Provider
  readonly prices: KnownPrices | null
  /** True for a server in the operator's own network. */
  readonly isLocal: boolean
}

/** The operator's settings by which models are found. */
export interface ModelSettings extends Pick<ModelSources, 'upstreams'> {
  readonly gatewayMode: GatewayMode
  /** Null where the operator has none. */
  readonly teacher: OperatorTeacher | null
}

/** Dependencies of a question to a model. */
export interface ModelDeps extends ModelSources, ModelSettings {
  readonly namespaces: NamespaceReader
  readonly budgets: Budgets
  readonly rates: ProviderRates
  readonly meter: CallMeter
  readonly upstream: Upstream
  readonly limits: Limits
}
