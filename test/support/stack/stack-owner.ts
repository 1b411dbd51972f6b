import { startStack } from '../../../stack/stack.ts'

/** A process that owns a stack: tells its parent about it, and stops it when the parent says so. */
const stack = await startStack({
  dataDir: process.argv[2] ?? '',
  searchPath: process.env['PATH'] ?? '',
  isDurable: false,
  log: () => undefined,
})
process.on('message', () => {
  void stack.stop().then(() => process.exit(0))
})
const { origins, databaseUrl, temporalAddress, processes } = stack
process.send?.(JSON.stringify({ origins, databaseUrl, temporalAddress, processes }))
