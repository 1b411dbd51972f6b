import { bundleWorkflowCode } from '@temporalio/worker'

/** What the bundling process is asked for. */
export interface BundleRequest {
  readonly workflowsPath: string
  readonly failureConverterPath?: string | undefined
}

/** What it answers. */
export type BundleReply = { readonly code: string } | { readonly error: string }

/** Answers one request and ends: the bundler's memory, hundreds of megabytes, ends with this process. */
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
