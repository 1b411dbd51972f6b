/** The result of loading the module that calls model providers. */
export interface GatewayModule {
  readonly isLoaded: boolean
  /** The protocols that it speaks. */
  readonly dialects: readonly string[]
}

/**
 * Loads the gateway as a caller of it would, so that a probe reports on the module and not on a constant. The runtime
 * caches the module, so a second call is free.
 */
export async function loadGateway(): Promise<GatewayModule> {
  try {
    const [{ createProvider }, { DIALECT_TABLE }] = await Promise.all([
      import('../../core/gateway/providers/http-provider.ts'),
      import('../../core/gateway/protocol/dialects/table.ts'),
    ])
    const dialects = Object.keys(DIALECT_TABLE).toSorted()
    return { isLoaded: typeof createProvider === 'function' && dialects.length > 0, dialects }
  } catch {
    return { isLoaded: false, dialects: [] }
  }
}
