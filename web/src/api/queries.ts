import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ApiError, api, project, type Query } from "./client";

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** One document of the server, kept under its path so that events can say which to fetch again. */
export function useGet<T>(path: string | null, query: Query = {}) {
  return useQuery<T, ApiError>({
    queryKey: [project(), path, query],
    enabled: path !== null,
    queryFn: ({ signal }) => api<T>(path as string, { query, signal }),
  });
}

/** A list page by page; what was on the screen stays until the next filter's answer is there. */
export function usePages<T>(path: string, query: Query = {}, limit = 100) {
  const pages = useInfiniteQuery<Page<T>, ApiError>({
    queryKey: [project(), path, query, "pages"],
    initialPageParam: null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      api<Page<T>>(path, { query: { ...query, limit, cursor: pageParam as string | null }, signal }),
    getNextPageParam: (last) => last.next_cursor,
  });
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return { ...pages, items };
}

/** A write; afterwards whatever lies under one of the paths is fetched again. */
export function useWrite<Given, Told>(write: (given: Given) => Promise<Told>, touched: string[] = []) {
  const client = useQueryClient();
  return useMutation<Told, ApiError, Given>({
    mutationFn: write,
    onSuccess: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) => touched.some((path) => String(queryKey[1] ?? "").startsWith(path)),
      }),
  });
}
