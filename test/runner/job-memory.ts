/** A larger young generation: objects of one test die before they are copied, which saves a tenth of the processor time. */
const FLAG = '--max-semi-space-size=64'

/** Adds the flag to the environment in which mocha starts the processes that run the tests. */
export function giveJobsMemory(): void {
  const given = process.env['NODE_OPTIONS']
  process.env['NODE_OPTIONS'] = given === undefined ? FLAG : `${given} ${FLAG}`
}

/** Removes the flag again, so that processes which tests start run with the memory that the service gives them. */
export function keepMemoryFromChildren(): void {
  const rest = (process.env['NODE_OPTIONS'] ?? '').replace(FLAG, '').trim()
  if (rest === '') delete process.env['NODE_OPTIONS']
  else process.env['NODE_OPTIONS'] = rest
}
