/**
 * Takes `__proto__` from every object of the process, so that no library that follows a path of names which a caller
 * sent can change what all objects have in common. Literals and `Object.getPrototypeOf` are not touched. The first thing
 * a process does.
 */
export function forbidPrototypeAccess(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
}
