const NAMES = /** @type {const} */ ([
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
])
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux']

/**
 * The words of a user agent that people know. The order matters: each browser also names those that it is like.
 *
 * @param {string | null} agent
 */
export function browserOf(agent) {
  if (agent === null || agent === '') return 'unknown'
  const name = NAMES.find(([word]) => agent.includes(`${word}/`))?.[1]
  const system = SYSTEMS.find((word) => agent.includes(word))
  if (name === undefined) return agent.slice(0, 60)
  return system === undefined ? name : `${name} on ${system}`
}
