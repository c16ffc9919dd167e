/** What a model is told that spoke outside of `respond()`. */
export const useRespond = 'No listener sees text outside of tool calls. Say it again, as parts of a respond() call.'
