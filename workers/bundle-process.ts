import { bundleWorkflowCode } from '@temporalio/worker'

/** The request to the bundling process. */
export interface BundleRequest {
  readonly workflowsPath: string
  readonly failureConverterPath?: string | undefined
}

/** Its reply. */
export type BundleReply = { readonly code: string } | { readonly error: string }

/** Serves one request and ends: the bundler's memory, hundreds of megabytes, is freed with this process. */
async function answer({ workflowsPath, failureConverterPath }: BundleRequest): Promise<BundleReply> {
  try {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      logger: QUIET,
      ...(failureConverterPath === undefined ? {} : { failureConverterPath }),
    })
    return { code }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const QUIET = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} }

process.once('message', (request: BundleRequest) => {
  void answer(request).then((reply) => process.send?.(reply, undefined, undefined, () => process.disconnect()))
})
