/** A copy of a value as it comes back from JSON: what is written does not change when the caller changes the original. */
export function jsonCopy<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value)
}
