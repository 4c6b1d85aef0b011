/** Joins the collection of a stamp `s`, as `c`. */
export const withCollection =
  'left join lateral (select name, created_block from collections where id = s.collection_id limit 1) as c on true';
