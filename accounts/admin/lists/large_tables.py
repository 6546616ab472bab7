"""Lists of tables that grow with the site: no page counts, sorts or searches all rows of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from django.contrib import admin, messages
from django.contrib.admin.options import ShowFacets
from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property

from accounts.admin.lists.read_only import AnyModelAdmin

if TYPE_CHECKING:
    AnyPaginator = Paginator[Any]
else:
    AnyPaginator = Paginator

# What is counted, and so how far one can page; what a search finds at most for each of its fields.
COUNT_LIMIT, FOUND_LIMIT = 5_000, 1_000
# The choices of a filter are the values in so many newest rows.
SAMPLED_ROWS = 5_000


_FOUND_TOO_MUCH = "portal.found_too_much"


def has_found_too_much(request: HttpRequest) -> bool:
    """Return whether the search of a list, which the request has made, left rows out."""
    return _FOUND_TOO_MUCH in request.META


class BoundedPaginator(AnyPaginator):
    """Counts up to a limit."""

    @cached_property
    def count(self) -> int:
        """Return the number of rows, at most the limit."""
        rows = cast("QuerySet[Any]", self.object_list)
        return rows.order_by()[:COUNT_LIMIT].count()

    @property
    def is_bounded(self) -> bool:
        """Return whether there may be more rows than were counted."""
        return self.count == COUNT_LIMIT


class RecentValuesFilter(admin.AllValuesFieldListFilter):
    """Filters by a value of the newest rows."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        ordering = model_admin.get_ordering(request) or ("-pk",)
        newest = model._default_manager.order_by(*ordering).values_list(field_path, flat=True)[:SAMPLED_ROWS]
        # Not distinct in the database, which would read all rows to order them by value.
        self.lookup_choices: Any = sorted({value for value in newest if value})


class LargeTableAdmin(AnyModelAdmin):
    """A list whose cost does not grow with its table.

    Each of `search_fields` ends in `__exact` or, for addresses, which are in lower case, in `__startswith`, and has an
    index. A list is in an order that an index gives, and in no other. What a filter finds rarely has an index, too.
    """

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    ordering: ClassVar[Any] = ("-pk",)
    sortable_by = ()
    search_help_text = "Whole id, or start of an address"

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Return the page of the list. An order that was typed into the address is left out."""
        query: Any = request.GET.copy()
        query.pop(ORDER_VAR, None)
        request.GET = query
        return super().get_changelist_instance(request)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, and say so if a search finds more than it shows."""
        response = super().changelist_view(request, extra_context)
        if has_found_too_much(request):
            messages.warning(
                request,
                f"Your search finds more than {FOUND_LIMIT:,} {self.opts.verbose_name_plural}: some are missing here, "
                "also newer ones. Search for something more precise, such as a whole id.",
            )
        return response

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows that one of the fields finds; each is sought by itself, since OR would use no index."""
        term = search_term.strip()
        if not term:
            return queryset, False
        found: set[Any] = set()
        for condition in self.search_conditions(term):
            rows = self.model._default_manager.filter(condition).order_by()
            keys = rows.values_list("pk", flat=True)[: FOUND_LIMIT + 1]
            if len(keys) > FOUND_LIMIT:
                request.META[_FOUND_TOO_MUCH] = True
            found.update(keys[:FOUND_LIMIT])
        return queryset.filter(pk__in=found), False

    def search_conditions(self, term: str) -> list[Q]:
        """Return the conditions that find rows, each of which can use an index."""
        return [condition for lookup in self.search_fields if (condition := self._search_condition(lookup, term))]

    def _search_condition(self, lookup: str, term: str) -> Q | None:
        if not lookup.endswith("__exact"):
            return Q(**{lookup: term.lower()})
        spellings = {term, term.lower(), term.upper()}
        try:
            condition = Q(**{f"{lookup.removesuffix('__exact')}__in": sorted(spellings)})
            self.model._default_manager.filter(condition)
        except (ValidationError, ValueError):  # no id of this kind is written so
            return None
        return condition
